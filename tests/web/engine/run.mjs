// The joined worker of the browser's engine without a browser: `node run.mjs WORKER` answers the lines
// of standard input as the worker answers messages, one after the other.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';

const [path] = process.argv.slice(2);
/** @type {(message: any) => void} */
let heard = () => {};
globalThis.self = Object.assign(globalThis, {
  location: { href: pathToFileURL(path).href },
  postMessage: (message) => heard(message),
});
vm.runInThisContext(readFileSync(path, 'utf8'), {
  filename: path,
  importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});

/** The messages that answer a line. @param {string} line */
function ask(line) {
  const messages = [];
  let isStream = false;
  return new Promise((resolve) => {
    heard = (message) => {
      messages.push(message);
      if (message === '=') isStream = true;
      if (!isStream || message === '' || message.end) resolve(messages);
    };
    self.onmessage({ data: line });
  });
}

for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(await ask(line))}\n`);
// What is written to a pipe would be cut off by an exit at once.
process.stdout.write('', () => process.exit(0));
