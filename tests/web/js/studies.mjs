// Reads SGF and writes it as the page does. Run: node tests/web/js/studies.mjs < texts.json
// In: an array of SGF texts. Out: for each the text that the page writes of it, and its problems.
import { readFileSync } from 'node:fs';
import './page.mjs';
import { readSgf, writeSgf } from '../../../yoddd/web/js/rules/sgf.js';

const texts = JSON.parse(readFileSync(0, 'utf8'));
const answers = texts.map((text) => {
  const { tree, names, winrates, problems } = readSgf(text);
  return { sgf: writeSgf(tree, names, winrates), problems };
});
process.stdout.write(JSON.stringify(answers));
