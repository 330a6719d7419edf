// The parity panel: counts, verdict, and the effect of a stone on the pointed cell.
import { effectOf } from '../rules/parity.js';
import { GAMES, capital } from '../rules/rules.js';
import { aimOf, courseTitle, figuresOf } from '../rules/standing.js';
import { el, html, write } from '../base/svg.js';
import { t } from '../base/texts.js';

/** @import { Position, Stone } from '../rules/rules.js' */

/** @param {Position} position with the pending stones @param {string} standing who leads or has won */
export function drawCounts(position, standing) {
  const { title, values, captions, tone } = figuresOf(position);
  const heading = el('counts-title');
  write(heading, title);
  heading.hidden = title === capital(t('count.one'));
  el('counts').setAttribute('aria-label', title);
  values.forEach((value, index) => {
    write(el(`count-${index}`), value);
    write(el(`caption-${index}`), captions[index]);
  });
  el('total').className = tone;
  write(el('verdict'), standing);
}

/** The goal, when the game ends and the meaning of a pass, beside the board. @param {import('../rules/rules.js').Rules} rules */
export function drawAim(rules) {
  const { turn, goal, end, pass } = aimOf(rules);
  const parts = () =>
    Object.entries({
      [t('aim.title-goal')]: goal,
      [t('aim.title-end')]: end,
      [t('aim.title-pass')]: pass,
    }).flatMap(([name, text]) => [html('b', name), ` ${text} `]);
  const link = html('a', { href: `rules.html#${rules.game}` }, t('aim.all-rules'));
  const { source } = rules.definition.description ?? {};
  const more = source ? [html('a', { href: source, rel: 'noreferrer' }, t('aim.all-rules'))] : [];
  el('aim-text').replaceChildren(...parts(), ...(Object.hasOwn(GAMES, rules.game) ? [link] : more));
  el('course-title').textContent = `${courseTitle(rules)}:`;
  el('help-aim').replaceChildren(html('b', t('aim.title-turn')), ` ${turn} `, ...parts());
}

/**
 * What a second stone has to do, and how many stones do it, or do not where they are fewer.
 * @param {import('../rules/parity.js').Options} options @param {0 | 1 | null} parity @param {boolean} legal whether the turn may end without it
 */
function completionsText({ count, misfits }, parity, legal) {
  const many = misfits < count ? t('hover.misfits', { n: misfits }) : t('hover.fits', { n: count });
  const must = [t('hover.must-even'), t('hover.must-odd')][parity ?? -1] ?? t('hover.second');
  const start = legal ? t('hover.may') : must;
  if (parity === null) return start;
  return `${start}; ${misfits ? many : t('hover.any')}`;
}

/**
 * @param {Position} position where the turn began
 * @param {readonly Stone[]} pending
 * @param {number | null} cell
 * @param {import('../rules/parity.js').Options | null} options
 * @param {boolean} isEnd whether no stone can be placed any more
 */
export function drawHover(position, pending, cell, options, isEnd) {
  const open = cell !== null && position.isEmpty(cell) && !isEnd;
  const before = pending.filter((stone) => stone.cell !== cell);
  const held = before.length < position.maxStones ? before : before.slice(0, -1);
  const note = !options?.completing
    ? ''
    : completionsText(options, position.facts.parity, position.dropProblem(pending) === null);
  // A column has no room for both.
  const title = note || isEnd ? '' : t('hover.point');
  write(
    el('hover-title'),
    cell === null ? title : t('hover.on', { cell: position.rules.board.labels[cell] }),
  );
  write(el('hover-note'), note);
  for (const colour of /** @type {const} */ ([0, 1])) {
    const line = /** @type {HTMLElement} */ (el(`hover-${colour}`).querySelector('dd'));
    if (!open || !position.colours.includes(colour)) {
      write(line, open ? t('hover.not-yours') : '–');
      continue;
    }
    const effect = effectOf(position, held, { cell, colour });
    const mark = document.createElement('span');
    mark.className = effect.legal ? 'yes' : 'no';
    mark.textContent = effect.legal ? '✓' : effect.completable ? '✗ + 1' : '✗';
    mark.title = effect.legal
      ? t('hover.legal')
      : effect.completable
        ? t('effect.needs')
        : t('effect.hopeless');
    line.replaceChildren(effect.change, ...(position.facts.parity === null ? [] : [mark]));
  }
}
