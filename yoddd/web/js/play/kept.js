// Games against the engine that are not over: this browser keeps them, with their clocks, so that another
// tab finds them.
import { runClock } from '../rules/clock.js';
import { isRunning, liveTree, namesOf } from './state.js';
import { rulesTitle } from '../lobby/newgame.js';
import { writeLink } from '../rules/link.js';
import { HUMAN, levelOf } from '../rules/seats.js';
import { keep, recall } from '../base/settings.js';
import { t } from '../base/texts.js';

/** @import { Kept } from '../lobby/mygames.js' */
/** @import { State } from './state.js' */

const KEPT = 'yoddd.games';
/** Games that are kept; the oldest are dropped. */
const MOST = 5;

/** The games, the latest first. @returns {readonly Kept[]} */
export const keptGames = () => recall('localStorage', KEPT) ?? [];

/** Keeps the game that this page shows. */
export class Keeper {
  /** The link of this game as it was kept last; empty for none. */
  #link = '';

  /** Another game is shown; this one stays as it was kept. */
  leave() {
    this.#link = '';
  }

  /**
   * The time left to the clocks of a game that goes on where this browser has kept it; null for
   * another game.
   * @param {State} state @returns {State['clock']['purses'] | null}
   */
  purses(state) {
    if (!state.seats.clock) return null;
    const link = writeLink(liveTree(state), state.seats);
    return keptGames().find((one) => one.link === link)?.purses ?? null;
  }

  /** Keeps a game against the engine as it stands, until it is over. @param {State} state @param {number} now */
  keep(state, now) {
    const { refereed, seats } = state;
    const { players, names } = seats;
    const tree = liveTree(state);
    const engine = players.findIndex((player) => levelOf(player));
    const isOwn = !refereed && !names && engine >= 0 && players.includes(HUMAN);
    if (!isOwn || !tree.index) return;
    const link = writeLink(tree, seats);
    const games = keptGames().filter((one) => ![link, this.#link].includes(one.link));
    this.#link = link;
    const text = `${t('mygames.against', { rival: namesOf(state)[engine] })}, ${t('turns', { n: tree.index })}`;
    const { purses } = runClock(state.clock, null, now);
    const own = isRunning(state) ? [{ link, text, title: rulesTitle(tree.rules), purses }] : [];
    keep('localStorage', KEPT, [...own, ...games].slice(0, MOST));
  }
}
