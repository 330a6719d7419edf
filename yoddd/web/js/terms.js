// The terms of an offer in the lobby: the clock, whether it is rated, who may accept it.
import { controlText } from './clock.js';
import { FACTS } from './facts.js';
import { capital } from './rules.js';
import { field, html } from './svg.js';
import { t } from './texts.js';

/** @typedef {{state: string, black: string, more: string[]}} Entry a game as the server lists it */

/** The clocks to choose from; the last one opens the fields of an own one. */
const CLOCKS = ['none', '180+2', '600+5', '1800+15', '600,byoyomi=3x30', 'custom'];
const KINDS = [
  ['absolute', t('terms.absolute')],
  ['fischer', t('terms.fischer')],
  ['byoyomi', t('terms.byoyomi')],
];
const ACCEPTED = [
  ['anyone', t('terms.anyone')],
  ['users', t('terms.users')],
  ['one', t('terms.one')],
];

/** @param {string} name @param {[string, string][]} choices text of the choices by value */
const select = (name, choices) =>
  html('select', { name }, ...choices.map(([value, text]) => new Option(text, value)));

/** @param {string} name @param {number} value @param {number} least @param {number} most */
const number = (name, value, least, most) =>
  html('input', { name, type: 'number', value, min: least, max: most, step: 'any', required: '' });

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

/** The fields of the terms; `showAccounts` shows those that need accounts. */
export function drawTerms() {
  const clock = select(
    'clock',
    CLOCKS.map((text) => [
      text,
      text === 'custom' ? t('terms.custom') : capital(controlText(text)),
    ]),
  );
  const kind = select('kind', /** @type {[string, string][]} */ (KINDS));
  const seconds = number('seconds', 5, 0, 3600);
  const each = field(t('terms.seconds'), seconds);
  const periods = field(t('terms.periods'), number('periods', 3, 1, 99));
  const custom = html(
    'fieldset',
    { class: 'grid three' },
    html('legend', {}, t('terms.clock')),
    field(t('terms.kind'), kind),
    field(t('terms.minutes'), number('minutes', 10, 0, 1440)),
    each,
    periods,
  );
  const rated = select('rated', [
    ['no', t('terms.unrated')],
    ['yes', t('terms.rated')],
  ]);
  const accept = select('accept', /** @type {[string, string][]} */ (ACCEPTED));
  const rival = field(
    t('terms.user'),
    html('input', { name: 'rival', maxlength: FACTS.names.longest, autocomplete: 'off' }),
  );
  const accounts = html(
    'div',
    { class: 'grid three' },
    field(t('terms.rating'), rated),
    field(t('terms.accept'), accept),
    rival,
  );
  const update = () => {
    show(custom, clock.value === 'custom');
    show(each, kind.value !== 'absolute');
    show(periods, kind.value === 'byoyomi');
    show(rival, accept.value === 'one');
  };
  kind.addEventListener('change', () => {
    seconds.value = kind.value === 'byoyomi' ? '30' : '5';
  });
  for (const one of [clock, kind, accept]) one.addEventListener('change', update);
  update();
  return {
    clock: field(t('terms.clock'), clock),
    custom,
    accounts,
    update,
    /** @param {boolean} shown whether the server has accounts @param {boolean} isUser whether the user has one */
    showAccounts: (shown, isUser) => {
      accounts.hidden = !shown;
      rated.disabled = !isUser;
      rated.title = isUser ? '' : t('terms.log-in');
      if (!isUser) rated.value = 'no';
    },
  };
}

/** Shows a field, or takes it out of the form. @param {Element} element @param {boolean} shown */
function show(element, shown) {
  if (element instanceof HTMLElement) element.hidden = !shown;
  const inputs = element instanceof HTMLFieldSetElement ? [] : element.querySelectorAll('input');
  if (element instanceof HTMLFieldSetElement) element.disabled = !shown;
  for (const input of inputs) input.disabled = !shown;
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
    (word) => !/^(clock|rated|accept|for|turn|expires|rematch)=/.test(word),
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
