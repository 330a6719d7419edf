// The terms of an offer in the lobby: the clock, whether it is rated, who may accept it.
import { controlText } from '../rules/clock.js';
import { capital } from '../rules/rules.js';
import { el } from '../base/svg.js';
import { t } from '../base/texts.js';

/** @typedef {{state: string, black: string, more: string[]}} Entry a game as the server lists it */

/** The clocks to choose from; the last one opens the fields of an own one. */
const CLOCKS = ['none', '180+2', '600+5', '1800+15', '600,byoyomi=3x30', 'custom'];
/** The clock of the fields, as the server spells it. @param {FormData} data */
export function customClock(data) {
  const seconds = +(Number(data.get('minutes')) * 60).toFixed(3);
  const each = Number(data.get('seconds'));
  const kind = data.get('kind');
  if (kind === 'byoyomi') return `${seconds},byoyomi=${Number(data.get('periods'))}x${each}`;
  return kind === 'fischer' ? `${seconds}+${each}` : String(seconds);
}

/** The settings of `seek` that the fields stand for. @param {FormData} data */
export function readTerms(data) {
  const clock = data.get('clock') === 'custom' ? customClock(data) : data.get('clock');
  const accept = data.get('accept');
  return [
    `clock=${clock}`,
    ...(data.get('rated') === 'yes' ? ['rated=yes'] : []),
    ...(accept === 'users' ? ['accept=users'] : []),
    ...(accept === 'one' && data.get('rival') ? [`against=${data.get('rival')}`] : []),
  ];
}

/** A field of a form. @param {HTMLFormElement} form @param {string} name */
export const fieldOf = (form, name) =>
  /** @type {HTMLSelectElement} */ (form.elements.namedItem(name));

/** Ties the fields of the terms to each other; the function returned shows those that need accounts. @param {HTMLFormElement} form */
export function wireTerms(form) {
  const [clock, kind, seconds, periods, rated, accept, rival] = [
    ...['clock', 'kind', 'seconds', 'periods', 'rated', 'accept', 'rival'],
  ].map((name) => fieldOf(form, name));
  clock.append(
    ...CLOCKS.map(
      (text) =>
        new Option(text === 'custom' ? t('terms.custom') : capital(controlText(text)), text),
    ),
  );
  const update = () => {
    show(el('custom-clock'), clock.value === 'custom');
    show(seconds.closest('label'), kind.value !== 'absolute');
    show(periods.closest('label'), kind.value === 'byoyomi');
    show(rival.closest('label'), accept.value === 'one');
  };
  kind.addEventListener('change', () => {
    seconds.value = kind.value === 'byoyomi' ? '30' : '5';
  });
  for (const one of [clock, kind, accept]) one.addEventListener('change', update);
  update();
  /** @param {boolean} shown whether the server has accounts @param {boolean} isUser whether the user has one */
  return (shown, isUser) => {
    el('offer-accounts').hidden = !shown;
    rated.disabled = !isUser;
    rated.title = isUser ? '' : t('terms.log-in');
    if (!isUser) rated.value = 'no';
  };
}

/** Shows a field, or takes it out of the form. @param {Element | null} element @param {boolean} shown */
function show(element, shown) {
  element?.toggleAttribute('hidden', !shown);
  const holder = element instanceof HTMLFieldSetElement ? element : element?.querySelector('input');
  holder?.toggleAttribute('disabled', !shown);
}

/** The terms of an offer or a game, besides the game and the board. @param {Entry} entry */
export function termsText({ state, black, more }) {
  const words = new Map(
    more.map((word) => {
      const [name, ...rest] = word.split('=');
      return [name, rest.join('=')];
    }),
  );
  const free = t(black === '-' ? 'black' : 'white');
  const options = more.filter(
    (word) => !/^(clock|rated|accept|for|turn|winner|expires|rematch)=/.test(word),
  );
  return [
    ...(state === 'open' ? [t('terms.you-play', { colour: free })] : []),
    controlText(words.get('clock') ?? 'none'),
    t(words.get('rated') === 'yes' ? 'terms.is-rated' : 'terms.is-unrated'),
    ...(words.has('for') ? [t('terms.for', { name: words.get('for') ?? '' })] : []),
    ...(words.get('accept') === 'users' ? [t('terms.users-only')] : []),
    ...options.map((word) => word.replace('=', ' ').replaceAll('_', ' ')),
  ].join(' · ');
}
