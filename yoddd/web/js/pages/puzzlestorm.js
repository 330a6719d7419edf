// A run of puzzles against time, with lives. The time is an argument.
import { button, html } from '../base/svg.js';
import { t } from '../base/texts.js';

/** Milliseconds of a storm, and its lives. */
const [TIME, LIVES] = [180_000, 3];

export class Storm {
  /** @param {number} now milliseconds of the page's clock */
  constructor(now) {
    this.until = now + TIME;
    this.lives = LIVES;
    /** Puzzles solved. */
    this.score = 0;
  }

  /** A puzzle is answered. @param {boolean} isRight @returns {boolean} whether the storm goes on */
  answer(isRight) {
    if (isRight) this.score += 1;
    else this.lives -= 1;
    return this.lives > 0;
  }

  /** @param {number} now */
  isOver(now) {
    return now >= this.until;
  }

  /** @param {number} now */
  text(now) {
    const left = Math.max(0, Math.ceil((this.until - now) / 1000));
    const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
    const { lives, score } = this;
    return t('puzzle.storm-left', { clock, n: lives, score });
  }
}

/**
 * What is shown before a storm, and after one.
 * @param {number} best puzzles @param {number | null} ended those of the storm that has ended; null before one
 * @param {() => void} start @param {(text: string) => Element} share makes the button that shares a text
 */
export function stormParts(best, ended, start, share) {
  const isFirst = ended === null;
  const text = isFirst
    ? t('puzzle.storm-text', { minutes: TIME / 60_000, lives: LIVES })
    : t('puzzle.ended', { n: ended });
  return [
    html('h2', t(isFirst ? 'puzzle.storm' : 'puzzle.storm-over')),
    html('p.text', text),
    html('p.quiet', t('puzzle.best', { n: best })),
    html(
      'div.row',
      button(t('learn.start'), start, { class: 'solid' }),
      ...(isFirst ? [] : [share(t('puzzle.card-storm', { n: ended }))]),
    ),
  ];
}
