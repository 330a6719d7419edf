// ESLint for the page. The packages come from npx, which installs them beside ESLint, not here.
import { createRequire } from 'node:module';

const require = createRequire(process.argv[1]);
const js = require('@eslint/js');
const importX = require('eslint-plugin-import-x');

const PAGE = 'yoddd/web/js';

/** The folders of the page's modules, each of which may import from the ones before it. */
const FOLDERS = 'base rules kernel board server lobby analysis play pages'.split(' ');

export default [
  js.configs.recommended,
  {
    files: ['**/*.{js,mjs}'],
    plugins: { 'import-x': importX },
    settings: { 'import-x/resolver-next': [importX.createNodeResolver()] },
    rules: {
      'no-undef': 'off', // tsc finds undefined names, and has the globals of browsers
      'import-x/no-cycle': 'error',
      'import-x/no-unresolved': 'error',
    },
  },
  {
    files: [`${PAGE}/**/*.js`],
    rules: {
      // The script of a page is joined without indentation.
      'no-restricted-syntax': ['error', 'TemplateElement[value.raw=/\\n/]'],
      'import-x/no-restricted-paths': [
        'error',
        {
          zones: FOLDERS.map((folder, index) => ({
            target: `${PAGE}/${folder}`,
            from: PAGE,
            except: FOLDERS.slice(0, index + 1),
            message: `${folder} may import from ${FOLDERS.slice(0, index + 1).join(', ')}`,
          })),
        },
      ],
      // Code is wrapped by Prettier, which leaves comments and strings as they are.
      'max-len': ['error', { code: 400, comments: 160 }],
    },
  },
];
