// A site without a server, kept for use without a network: sw.js keeps one version of it, whole.
import { button, html } from './svg.js';
import { t } from './texts.js';

/** Says that another version is ready. All pages of the site change to it at once. @param {ServiceWorker} next */
function tell(next) {
  const bar = html(
    'div.update',
    { role: 'status' },
    html('span', t('site.ready')),
    button(t('site.reload'), () => next.postMessage('take over')),
  );
  document.body.append(bar);
}

/** @param {ServiceWorkerRegistration} registration */
function watch(registration) {
  if (registration.waiting) tell(registration.waiting);
  registration.addEventListener('updatefound', () => {
    const next = registration.installing;
    next?.addEventListener('statechange', () => {
      // The first one of all has no other version before it.
      if (next.state === 'installed' && navigator.serviceWorker.controller) tell(next);
    });
  });
}

async function begin() {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  const wasKept = serviceWorker.controller !== null;
  serviceWorker.addEventListener('controllerchange', () => {
    if (wasKept) location.reload();
  });
  watch(await serviceWorker.register('sw.js'));
}

begin().catch(() => {}); // the site works without, as long as there is a network
