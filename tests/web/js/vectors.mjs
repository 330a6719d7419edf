// Reads the facts of the vectors; see protocol/vectors/README.md for their format.
import { readFileSync } from 'node:fs';

/** The fields of each line of a file of single facts. @param {string} name */
export function facts(name) {
  const file = new URL(`../../../protocol/vectors/engine/${name}.txt`, import.meta.url);
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line && !line.startsWith('#')).map((line) => line.split(' ; '));
}
