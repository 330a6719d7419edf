// Puts the package together: `node clients/js/pack.mjs FOLDER`. Its rules, notation and engine are
// the page's own modules, so that there is one source. `.ci/js_facts.py FOLDER` then adds the facts,
// and `npm pack FOLDER` makes the archive.
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const page = join(root, 'yoddd/web/js');
const WASM = 'kernel/yoddd.wasm';
const SHARED = {
  base: 'catalogue errors',
  rules: 'check description facts geometry hash notation rules scoring sgf sgfstart toml tree',
  kernel: 'board engine module player port sweep values weights worker',
};

const out = process.argv[2];
if (!out) throw new Error('usage: node clients/js/pack.mjs FOLDER');
fs.rmSync(out, { recursive: true, force: true });

let code = '';
for (const [folder, names] of Object.entries(SHARED)) {
  fs.mkdirSync(join(out, 'js', folder), { recursive: true });
  for (const name of names.split(' ')) {
    const path = join(folder, `${name}.js`);
    fs.copyFileSync(join(page, path), join(out, 'js', path));
    code += fs.readFileSync(join(page, path), 'utf8');
  }
}
// What does not depend on the kernel can be checked without it.
if (fs.existsSync(join(page, WASM))) fs.copyFileSync(join(page, WASM), join(out, 'js', WASM));
fs.copyFileSync(join(here, 'README.md'), join(out, 'README.md'));
// Where the sources lie is known where they are published.
const { GITHUB_SERVER_URL: host, GITHUB_REPOSITORY: path } = process.env;
const url = path && `git+${host}/${path}.git`;
const about = JSON.parse(fs.readFileSync(join(here, 'package.json'), 'utf8'));
const repository = url && { type: 'git', url, directory: 'clients/js' };
fs.writeFileSync(join(out, 'package.json'), JSON.stringify({ ...about, repository }, null, 2));
fs.copyFileSync(join(root, 'LICENSE'), join(out, 'LICENSE'));
fs.cpSync(join(here, 'examples'), join(out, 'examples'), { recursive: true });

/** @param {string} text @param {string} from @param {string} to */
function replaced(text, from, to) {
  if (!text.includes(from)) throw new Error(`expected ${from}`);
  return text.replaceAll(from, to);
}

for (const name of ['index.js', 'rules.js']) {
  const text = fs.readFileSync(join(here, name), 'utf8').replaceAll('../../build/js/', './');
  fs.writeFileSync(join(out, name), replaced(text, '../../yoddd/web/js/', './js/'));
}

// The texts that these modules name: most are of the page alone.
const { EN } = await import(join(page, 'base/en.js'));
const begun = [...code.matchAll(/`([\w-]+\.)\$\{/g)].map(([, start]) => start);
const isNamed = (/** @type {string} */ key) =>
  code.includes(`'${key}'`) || begun.some((start) => key.startsWith(start));
const texts = Object.fromEntries(Object.entries(EN).filter(([key]) => isNamed(key)));
fs.writeFileSync(join(out, 'js/base/en.js'), `export const EN = ${JSON.stringify(texts)};\n`);

// The page has its facts in its HTML.
const facts = fs.readFileSync(join(page, 'base/facts.js'), 'utf8');
const given = [
  ["import { el } from './svg.js';", "import { GIVEN, VALUES } from '../../facts.js';"],
  ['@typedef {string} Game', '@typedef {keyof typeof GIVEN.games} Game'],
].reduce((text, [from, to]) => replaced(text, from, to), facts);
fs.writeFileSync(
  join(out, 'js/base/facts.js'),
  replaced(
    replaced(given, "JSON.parse(el('facts').textContent ?? '')", '/** @type {any} */ (GIVEN)'),
    '= FACTS.facts;',
    '= /** @type {any} */ (VALUES);',
  ),
);
