// The form of an offer in the lobby.
import { controlText, isByDay } from '../rules/clock.js';
import { capital } from '../rules/rules.js';
import { el } from '../base/svg.js';
import { t } from '../base/texts.js';

/** The clocks to choose from; the last one opens the fields of an own one. */
export const CLOCKS = [
  ...['none', '180+2', '600+5', '1800+15', '600,byoyomi=3x30'],
  ...['days=1', 'days=3', 'days=7', 'days=14', 'custom'],
];
/** The clock of the fields, as the server spells it. @param {FormData} data */
export function customClock(data) {
  const seconds = +(Number(data.get('minutes')) * 60).toFixed(3);
  const each = Number(data.get('seconds'));
  const kind = data.get('kind');
  if (kind === 'byoyomi') return `${seconds},byoyomi=${Number(data.get('periods'))}x${each}`;
  return kind === 'fischer' ? `${seconds}+${each}` : String(seconds);
}

/** Seconds that a page's offer leaves for the first turn of each side; the clocks start after it. */
const START = 300;
/** The setting of `seek` for a clock. @param {string} clock */
export const clockTerm = (clock) =>
  `clock=${clock}${clock === 'none' || isByDay(clock) ? '' : `,start=${START}`}`;

/** The settings of `seek` that the fields stand for. @param {FormData} data */
export function readTerms(data) {
  const clock = data.get('clock') === 'custom' ? customClock(data) : String(data.get('clock'));
  const accept = data.get('accept');
  return [
    clockTerm(clock),
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
