// The document in which the modules of the page find their facts; imported before any of them.
import { execFileSync } from 'node:child_process';

const ROOT = new URL('../../../', import.meta.url);
const PRINT = 'import json; from yoddd.referee.game.facts import facts; print(json.dumps(facts()))';

/** What the program knows; PYTHON names another interpreter than that of .venv. */
const textContent = execFileSync(process.env.PYTHON ?? '.venv/bin/python', ['-c', PRINT], {
  cwd: ROOT,
  encoding: 'utf8',
});

Object.assign(globalThis, { document: { getElementById: () => ({ textContent }) } });
