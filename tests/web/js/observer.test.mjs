// Refereed games that wait for the store, and keys from elsewhere, without a browser.
import assert from 'node:assert/strict';
import test from 'node:test';
import './page.mjs';
import { Disconnected, Refusal } from '../../../yoddd/web/js/server/connection.js';
import { Observer } from '../../../yoddd/web/js/server/observer.js';

const START = 'position yodd hex2 2/3/2 b 0 1';

/** A server whose streams the test speaks for. @param {(line: string) => Promise<string>} ask */
function makeServer(ask) {
  /** @type {{request: string, subscriber: import('../../../yoddd/web/js/server/connection.js').Subscriber}[]} */
  const streams = [];
  const connection = {
    /** @param {() => string} request @param {any} subscriber */
    subscribe: (request, subscriber) => {
      subscriber.begun();
      streams.push({ request: request(), subscriber });
      return { close: () => {} };
    },
  };
  return {
    server: /** @type {any} */ ({ connection, ask, features: new Set(['presence']) }),
    streams,
  };
}

/** @param {any} server */
function observe(server) {
  /** @type {string[]} */
  const said = [];
  const handlers = new Proxy(
    {},
    {
      get:
        (_, name) =>
        (/** @type {any[]} */ ...words) =>
          said.push([name, ...words.map((word) => JSON.stringify(word))].slice(0, 3).join(' ')),
    },
  );
  const ticket = { id: 't9', key: '3.secret', seat: /** @type {const} */ (0) };
  return { said, observer: new Observer(server, ticket, /** @type {any} */ (handlers)) };
}

test.before(() => {
  Object.assign(globalThis, {
    window: { setTimeout: (/** @type {() => void} */ call) => setTimeout(call, 0) },
  });
  Object.assign(globalThis.window, { localStorage: { getItem: () => null } });
});

test('a game that waits for the store is followed again', async () => {
  const { server, streams } = makeServer(async () => '3.secret');
  const { said } = observe(server);
  streams[0].subscriber.line('error busy: t9 waits for the store: resume it');
  streams[0].subscriber.ended?.(null);
  await new Promise((done) => setTimeout(done, 20));
  assert.deepEqual(
    streams.map(({ request }) => request),
    ['observe t9 3.secret', 'observe t9 3.secret'],
  );
  streams[1].subscriber.line(START);
  await new Promise((done) => setTimeout(done, 20));
  assert.ok(said.includes('disconnected'));
});

test('a key that is not of this game makes a stranger', async () => {
  const { server, streams } = makeServer(() =>
    Promise.reject(new Refusal('syntax error [no-key]: no game has this key')),
  );
  const { said } = observe(server);
  streams[0].subscriber.line(START);
  await new Promise((done) => setTimeout(done, 20));
  assert.ok(said.includes('stranger'));
});

test('presence is reported with its seconds', () => {
  const { server, streams } = makeServer(async () => '3.secret');
  const { said } = observe(server);
  streams[0].subscriber.line('presence w away 3 297');
  streams[0].subscriber.line('presence w here');
  assert.deepEqual(said, ['presence 1 {"seconds":3,"claim":297}', 'presence 1 null']);
});

test('a restart and a rematch are reported by their words, a spectator stays for them', () => {
  const { server, streams } = makeServer(async () => '');
  const { said, observer } = observe(server);
  for (const line of ['restart', 'restart 30', 'rematch t10']) streams[0].subscriber.line(line);
  assert.deepEqual(said, ['restarts ""', 'restarts "30"', 'rematched "t10"']);
  observer.ticket = { id: 't9', key: null, seat: null };
  observer.follow();
  assert.equal(streams[1].request, 'observe t9 -');
});

test('the end of a game is told with its reason', () => {
  const { server, streams } = makeServer(async () => '3.secret');
  const { said } = observe(server);
  const end = (/** @type {string | null} */ winner, /** @type {string} */ reason) => {
    streams[0].subscriber.line(`record ${JSON.stringify({ winner, reason })}`);
    return said.pop();
  };
  streams[0].subscriber.line('game t9 ann bob none');
  assert.equal(end('b', 'groups'), 'over "ann wins" 0');
  assert.equal(end('w', 'resign'), 'over "bob wins by resignation" 1');
  assert.equal(end('b', 'adjudicated'), 'over "ann wins by adjudication" 0');
  assert.equal(end('b', 'tables'), 'over "ann wins by tables" 0');
  assert.equal(end(null, 'void'), 'over "The game is void" null');
});

test('a turn that was played is not sent again, and one that is too early is', async () => {
  const answers = [
    new Refusal('illegal move [not-begun]: the game has not begun'),
    new Disconnected(),
    new Refusal('illegal move [number]: turn 2 is next'),
  ];
  /** @type {string[]} */
  const asked = [];
  const { server } = makeServer((line) => {
    asked.push(line);
    return Promise.reject(answers.shift());
  });
  server.connection.whenOnline = async () => {};
  const { observer } = observe(server);
  await observer.submit('1a1 1', () => true);
  assert.deepEqual(asked, Array(3).fill('put 3.secret 1a1 1'));
});
