// Keeps one version of the site, whole: all of its files or none, each as the site was made with it.
// Another version is kept beside it, and takes its place for all pages at once.
const VERSION = '$version';
/** The files, each with its SHA-256. */
const FILES = $files;
/** Further ones, which are kept once a page has asked for them. */
const LATER = $later;
/** Whether what is kept only stands in for a server that cannot be reached. */
const IS_FRESH = $fresh;

const NAME = 'yoddd ' + VERSION;
const OURS = /^yoddd /;

const digest = async (content) =>
  [...new Uint8Array(await crypto.subtle.digest('SHA-256', content))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');

async function keep(cache, path, expected) {
  const reply = await fetch(path, { cache: 'no-cache' });
  const content = await reply.arrayBuffer();
  // A site that is being replaced may have files of two versions.
  if (!reply.ok || (await digest(content)) !== expected)
    throw new Error(path + ' is of another version');
  // A page that the host has redirected would be refused.
  await cache.put(path, new Response(content, { headers: reply.headers }));
}

async function keepAll() {
  const cache = await caches.open(NAME);
  try {
    await Promise.all(Object.entries(FILES).map((file) => keep(cache, ...file)));
  } catch (error) {
    await caches.delete(NAME);
    throw error;
  }
}

async function dropOthers() {
  for (const name of await caches.keys())
    if (OURS.test(name) && name !== NAME) await caches.delete(name);
  await clients.claim();
}

/** The path of a request below the site's folder, without what names a game. */
function pathOf(url) {
  const { origin, pathname } = new URL(url);
  const folder = new URL('./', location.href);
  if (origin !== folder.origin || !pathname.startsWith(folder.pathname)) return '';
  return pathname.slice(folder.pathname.length) || 'index.html';
}

async function answer(request, path) {
  const fresh = IS_FRESH && (await fetch(request).catch(() => null));
  if (fresh) return fresh;
  const kept = await (await caches.open(NAME)).match(path, { ignoreVary: true });
  return kept ?? fetch(request);
}

async function answerLater(path) {
  const cache = await caches.open(NAME);
  const kept = () => cache.match(path, { ignoreVary: true });
  if (!(await kept())) await keep(cache, path, LATER[path]);
  return kept();
}

self.addEventListener('install', (event) => {
  event.waitUntil(keepAll());
  if (IS_FRESH) self.skipWaiting();
});
self.addEventListener('activate', (event) => event.waitUntil(dropOthers()));
self.addEventListener('message', ({ data }) => {
  if (data === 'take over') self.skipWaiting();
});
self.addEventListener('fetch', (event) => {
  const path = pathOf(event.request.url);
  if (event.request.method !== 'GET') return;
  if (Object.hasOwn(FILES, path)) event.respondWith(answer(event.request, path));
  else if (Object.hasOwn(LATER, path)) event.respondWith(answerLater(path));
});
