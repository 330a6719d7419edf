// Shows whether the page is connected, and why not.
import { el } from '../base/svg.js';
import { t } from '../base/texts.js';

/** @import { Connection } from './connection.js' */

const TEXTS = {
  online: t('network.online'),
  reconnecting: t('network.reconnecting'),
  offline: t('network.offline'),
};

/** @param {Connection} connection */
export function wireNetwork(connection) {
  const state = el('network');
  const retry = el('network-retry');
  connection.watch((network) => {
    state.dataset.network = network;
    state.title = network === 'online' ? '' : connection.reason;
    /** @type {Element} */ (state.querySelector('span')).textContent = TEXTS[network];
    retry.hidden = network !== 'offline';
  });
  retry.addEventListener('click', () => connection.retry());
}
