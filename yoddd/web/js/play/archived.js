// Games that others have played, as their records tell: a page shows them as the ended games that they are.
import { chargeClock, makeClock, runClock } from '../rules/clock.js';
import { showGame, newRefereed } from './game.js';
import { terminationOf } from '../rules/result.js';
import { HUMANS } from '../rules/seats.js';
import { change, liveTree } from './state.js';

/** @import { Colour } from '../rules/rules.js' */
/** @import { GameTree } from '../rules/tree.js' */
/** @import { State } from './state.js' */

/** The end of a game that others have played, with its clocks. @param {State} state @param {Record<string, any>} record @param {string} address */
function closed(state, record, address) {
  const { black, white, winner, reason, clock: control, times: seconds } = record;
  const won = winner ? /** @type {Colour} */ (Number(winner === 'w')) : null;
  const first = state.tree.root.position.player;
  const times = /** @type {number[]} */ (seconds ?? []).map((one, index) => ({
    seat: /** @type {Colour} */ ((first + index) % 2),
    seconds: one,
  }));
  const clock = times.reduce(
    (before, one) => chargeClock(before, one.seat, one.seconds, 0),
    makeClock(control ?? ''),
  );
  const isLate = reason === 'time' && won !== null;
  return change(state, {
    clock: isLate ? runClock({ ...clock, seat: 1 - won, since: -Infinity }, null, 0) : clock,
    refereed: {
      ...newRefereed({ id: '', key: null, seat: null }, address, null),
      names: [black, white],
      begun: true,
      termination: terminationOf(record),
      winner: won,
      control,
      times,
    },
  });
}

/** A game of an archive, at its end. @param {State} state @param {GameTree} tree @param {Record<string, any>} record @param {string} address */
export const showRecord = (state, tree, record, address) =>
  closed(showGame(state, tree.goTo(Infinity), HUMANS), record, address);

/**
 * The game that others played is over: it is one of an archive now.
 * @param {State} state @param {GameTree} tree of its record @param {Record<string, any>} record
 * @param {string} address
 */
export function finish(state, tree, record, address) {
  const ended = liveTree(state).comment(tree.goTo(Infinity).current.comment);
  const seats = { ...state.seats, watched: false };
  return closed(change(state, { tree: ended.visit(state.tree.path), seats }), record, address);
}
