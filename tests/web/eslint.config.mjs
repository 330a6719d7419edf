// ESLint for the page. The packages come from npx, which installs them beside ESLint, not here.
import { createRequire } from 'node:module';

const require = createRequire(process.argv[1]);
const js = require('@eslint/js');
const importX = require('eslint-plugin-import-x');

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
    files: ['yoddd/web/js/**/*.js'],
    // The script of a page is joined without indentation.
    rules: { 'no-restricted-syntax': ['error', 'TemplateElement[value.raw=/\\n/]'] },
  },
];
