import { play } from './play.js';

globalThis.played = play();
