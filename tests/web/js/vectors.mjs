// Reads the session vectors; see protocol/vectors/README.md for their format.
import { readFileSync, readdirSync } from 'node:fs';

/** The fields of each line of a file of single facts. @param {string} name */
export function facts(name) {
  const file = new URL(`../../../protocol/vectors/engine/${name}.txt`, import.meta.url);
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line && !line.startsWith('#')).map((line) => line.split(' ; '));
}

const VECTORS = new URL('../../../protocol/vectors/', import.meta.url);
const PARTS = ['sessions', 'analysis', 'server', 'gogui'];

/** Each connection of each file: its requests, each with the reply's first character and text. */
export function* connections() {
  for (const folder of PARTS.map((name) => new URL(`${name}/`, VECTORS))) {
    const files = readdirSync(folder).filter((name) => /^(?!channels).*\.txt$/.test(name));
    for (const file of files.sort()) {
      for (const part of readFileSync(new URL(file, folder), 'latin1').split(/^---$/m)) {
        yield { file, exchanges: [...exchanges(part)] };
      }
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
