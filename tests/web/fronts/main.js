// eslint-disable-next-line import-x/no-unresolved -- it is installed where this file is copied to
import { Counter, startEngine } from 'yoddd';
import { play } from './play.js';

/** The addresses of the worker and the module, where a bundle does not have them. */
const { where } = globalThis;

globalThis.played = play(
  () => startEngine(where),
  () => Counter.load(where?.module),
).catch(({ reason }) => ({ reason }));
