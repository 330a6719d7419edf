// The list of stones, or of completions, with their worth by the table.
import { withDiscs } from '../base/discs.js';
import { drop, showTurn } from '../rules/notation.js';
import { nameOf } from '../rules/rules.js';
import { html } from '../base/svg.js';
import { valueText, verdictText } from './solved.js';
import { t } from '../base/texts.js';

/** @import { Position } from '../rules/rules.js' */
/** @import { Entry } from './solved.js' */

/**
 * @param {HTMLElement} list
 * @param {readonly Entry[]} entries
 * @param {Position} position
 * @param {boolean} beginning whether they begin a turn that may have two stones
 */
export function drawEntries(list, entries, position, beginning) {
  list.replaceChildren(...entries.map((entry, index) => row(entry, index, position, beginning)));
}

/** @param {Entry} entry @param {number} index @param {Position} position @param {boolean} beginning */
function row({ turn, stone, value, winning, total }, index, { rules }, beginning) {
  const what = stone
    ? showTurn(drop(stone), rules)
    : turn.kind === 'drop'
      ? t('table.end')
      : showTurn(turn, rules);
  const counted = stone && beginning && winning ? t('table.winning', { n: winning, total }) : '';
  return html(
    'li',
    html(
      'button',
      { 'data-entry': index },
      html('span.played', ...withDiscs(what)),
      html('span.quiet', counted),
      html('b', { class: value.won ? 'won' : 'lost' }, valueText(value)),
    ),
  );
}

/** The worth of the position, in a sentence. @param {HTMLElement} line @param {import('./solved.js').Answer} answer @param {Position} position */
export function drawVerdict(line, { value }, position) {
  line.textContent = verdictText(nameOf(position.player), value);
  line.className = value.won ? 'won' : 'lost';
}
