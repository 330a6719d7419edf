// Reads the session vectors; see protocol/vectors/README.md for their format.
import { readFileSync, readdirSync } from 'node:fs';

/** The fields of each line of a file of single facts. @param {string} name */
export function facts(name) {
  const file = new URL(`../../../protocol/vectors/${name}.txt`, import.meta.url);
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line && !line.startsWith('#')).map((line) => line.split(' ; '));
}

const FOLDER = new URL('../../../protocol/vectors/sessions/', import.meta.url);

/** Each connection of each file: its requests, each with the reply's first character and text. */
export function* connections() {
  for (const file of readdirSync(FOLDER).sort()) {
    for (const part of readFileSync(new URL(file, FOLDER), 'latin1').split(/^---$/m)) {
      yield { file, exchanges: [...exchanges(part)] };
    }
  }
}

function* exchanges(part) {
  let request = null;
  let reply = [];
  for (const line of [...part.split('\n'), 'C: ']) {
    if (line.startsWith('C:')) {
      if (request !== null) yield { request, reply: reply.join('\n') };
      request = line.slice(3);
      reply = [];
    } else if (line.startsWith('S: ')) {
      reply.push(line.slice(3).replace(/\\s$/, ' '));
    }
  }
}
