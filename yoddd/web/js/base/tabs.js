// Tabs: one of several panels is shown at a time.
import { el } from './svg.js';

/** @param {Element} tab @returns {HTMLElement} */
const panelOf = (tab) => el(tab.getAttribute('aria-controls') ?? '');

/** @param {Element} list @returns {HTMLElement[]} */
const tabsOf = (list) =>
  [...list.querySelectorAll('[role=tab]')].map((tab) => /** @type {HTMLElement} */ (tab));

/** The tab of a panel. @param {string} panel its id @returns {HTMLElement} */
const tabOf = (panel) =>
  /** @type {HTMLElement} */ (document.querySelector(`[role=tab][aria-controls=${panel}]`));

/** Shows a panel in the place of the others. @param {string} panel its id */
export function openTab(panel) {
  const chosen = tabOf(panel);
  for (const tab of tabsOf(/** @type {Element} */ (chosen.closest('[role=tablist]')))) {
    const isChosen = tab === chosen;
    tab.setAttribute('aria-selected', String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    panelOf(tab).hidden = !isChosen;
  }
}

/** Takes a tab away, or gives it back; the first one is opened in the place of one that is taken. @param {string} panel its id @param {boolean} allowed */
export function allowTab(panel, allowed) {
  const tab = tabOf(panel);
  const isOpen = tab.getAttribute('aria-selected') === 'true';
  tab.hidden = !allowed;
  if (!allowed && isOpen) {
    const [first] = tabsOf(/** @type {Element} */ (tab.closest('[role=tablist]')));
    openTab(panelOf(first).id);
  }
}

/** Ties all lists of tabs of the page to their panels. */
export function wireTabs() {
  for (const list of document.querySelectorAll('[role=tablist]')) {
    list.addEventListener('click', ({ target }) => {
      const tab = target instanceof Element ? target.closest('[role=tab]') : null;
      if (tab) openTab(panelOf(tab).id);
    });
    list.addEventListener('keydown', (event) => {
      const { key } = /** @type {KeyboardEvent} */ (event);
      const tabs = tabsOf(list).filter((tab) => !tab.hidden);
      const at = tabs.findIndex((tab) => tab === document.activeElement);
      const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (!step || at < 0) return;
      event.stopPropagation();
      const next = tabs[(at + step + tabs.length) % tabs.length];
      openTab(panelOf(next).id);
      next.focus();
    });
  }
}
