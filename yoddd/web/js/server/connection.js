// The one connection of a page to its server: a WebSocket with channels, each a session of the
// protocol. It reconnects by itself, and notices a stalled network by pings.
import { t } from '../base/texts.js';

/** The address of the server's WebSocket. */
export const socketUrl = () => {
  const url = new URL('ws/channels', location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.hash = '';
  return url.href;
};

/** An error reply of the server; `message` is its text without the subcode. */
export class Refusal extends Error {
  /** @param {string} text such as `illegal move [over]: the game is over` */
  constructor(text) {
    const found = /^([a-z ]+) \[([a-z-]+)\]/.exec(text);
    super(found ? text.replace(found[0], found[1]) : text);
    /** The kind of the error, such as `illegal move`. */
    this.code = /^[a-z ]*/.exec(text)?.[0].trim() ?? '';
    /** Which case of its code it is; empty where the server names none. */
    this.subcode = found?.[2] ?? '';
  }
}

/** The connection is lost: whether the server has carried out the request is unknown. */
export class Disconnected extends Error {
  constructor(message = t('network.unconnected')) {
    super(message);
  }
}

/** @typedef {'online' | 'reconnecting' | 'offline'} Network */

/** Milliseconds of silence before a ping, for its answer, and for the beginning of a connection. */
const [QUIET, ANSWER, OPENING] = [4000, 8000, 10_000];
/** Milliseconds between two looks at these times. */
const LOOK = 1000;
/** Milliseconds before the first attempt to reconnect, and at most before a later one. */
const [SOON, LATER] = [500, 15_000];
/** Failed attempts after which the page is called offline; it goes on trying. */
const FEW = 4;

/** Milliseconds before an attempt: doubled each time, and random, for many pages lose one server. @param {number} failures @param {number} chance 0 to 1 */
export const backOff = (failures, chance) =>
  (Math.min(LATER, SOON * 2 ** failures) * (1 + chance)) / 2;

/**
 * A request without its reply yet.
 * @typedef {object} Waiting
 * @property {(text: string) => void} done
 * @property {(error: Error) => void} failed
 * @property {((line: string) => void) | null} line for a streaming reply
 * @property {boolean} open whether the stream has begun
 */

/** One session: requests in order, replies as promises, streams as callbacks. */
export class Channel {
  /** @param {(message: string) => void} post sends a message @param {() => void} onClose */
  constructor(post, onClose) {
    this.post = post;
    this.onClose = onClose;
    /** @type {Waiting[]} */
    this.waiting = [];
    this.isOpen = true;
  }

  /**
   * A streaming reply of work that may fail late: rejects with the reason then.
   * @param {string} line @param {(line: string) => void} onLine
   */
  async follow(line, onLine) {
    let problem = '';
    await this.ask(line, (one) => {
      if (one.startsWith('error ')) problem = one.slice(6);
      else onLine(one);
    });
    if (problem) throw new Refusal(problem);
  }

  /**
   * The reply's text, when a streaming one has ended; rejects with a Refusal, or with Disconnected.
   * @param {string} line @param {((line: string) => void) | null} [onLine] for a streaming reply
   * @returns {Promise<string>}
   */
  ask(line, onLine = null) {
    return new Promise((done, failed) => {
      if (!this.isOpen) {
        failed(new Disconnected());
        return;
      }
      this.waiting.push({ done, failed, line: onLine, open: false });
      this.post(line);
    });
  }

  /** Ends the running stream. */
  stop() {
    if (this.isOpen) this.post('');
  }

  /** Makes the running search answer at once. */
  interrupt() {
    if (this.isOpen) this.post('# interrupt');
  }

  /** Ends the session, and what runs in it. */
  close() {
    if (!this.isOpen) return;
    this.onClose();
    this.lose();
  }

  /** The session has ended. @param {Error} [reason] */
  lose(reason = new Disconnected()) {
    this.isOpen = false;
    for (const { failed } of this.waiting.splice(0)) failed(reason);
  }

  /** @param {string} message */
  take(message) {
    const [first] = this.waiting;
    if (!first) return;
    const isRefused = !first.open && message.startsWith('?');
    if (first.open && message) {
      first.line?.(message);
    } else if (first.line && !first.open && !isRefused) {
      first.open = true;
    } else {
      this.waiting.shift();
      const text = message.slice(1).trim();
      if (isRefused) first.failed(new Refusal(text));
      else first.done(text);
    }
  }
}

/**
 * What a subscription reports.
 * @typedef {object} Subscriber
 * @property {(line: string) => void} line
 * @property {() => void} [begun] the stream begins, from its start, after each reconnection too
 * @property {() => void} [lost] the connection is lost; the stream begins again by itself
 * @property {(error: Refusal | null) => void} [ended] by the server, with its reason if it is one
 */

export class Connection {
  /** @param {string} url @param {() => number} [random] */
  constructor(url, random = Math.random) {
    this.url = url;
    this.random = random;
    /** @type {Network} what the user sees; online once the greetings are done */
    this.network = 'reconnecting';
    /** @type {string} why the server closed the connection before, if it said so */
    this.reason = '';
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {Map<string, Channel>} */
    this.channels = new Map();
    /** The number of the latest channel; none is used twice. */
    this.number = 0;
    /** @type {Channel | null} that of `ask`; its requests are answered at once */
    this.main = null;
    /** Attempts that have failed since the server was heard last. */
    this.failures = 0;
    /** @type {number | undefined} the next attempt */
    this.timer = undefined;
    /** When the connection was begun, or heard last. */
    this.heard = 0;
    /** @type {number | null} when a ping was sent that is not answered */
    this.pinged = null;
    /** @type {((network: Network) => void)[]} */
    this.watchers = [];
    /** @type {((ask: (line: string) => Promise<string>) => Promise<void>)[]} */
    this.greetings = [];
  }

  get isOnline() {
    return this.network === 'online';
  }

  /** Calls when the state changes, until the function returned is called. @param {(network: Network) => void} watcher */
  watch(watcher) {
    this.watchers.push(watcher);
    return () => {
      this.watchers = this.watchers.filter((one) => one !== watcher);
    };
  }

  /** Resolves when the connection is online. @returns {Promise<void>} */
  whenOnline() {
    return new Promise((resolve) => {
      const unwatch = this.watch(() => settle());
      const settle = () => {
        if (!this.isOnline) return;
        unwatch();
        resolve();
      };
      settle();
    });
  }

  /** Adds requests that begin every connection, before it is online. @param {(ask: (line: string) => Promise<string>) => Promise<void>} greeting */
  greet(greeting) {
    this.greetings.push(greeting);
  }

  /** Connects, and stays connected. */
  start() {
    window.setInterval(() => this.look(), LOOK);
    window.addEventListener('online', () => this.retry());
    window.addEventListener('offline', () => this.check());
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) this.retry();
    });
    this.connect();
  }

  /** Tries now what is tried later anyway: to connect, or whether the connection still works. */
  retry() {
    if (this.socket) this.check();
    else this.connect();
  }

  // -- requests -------------------------------------------------------------------------------

  /**
   * A request that is answered at once; one that takes long belongs to a channel of its own.
   * @param {string} line @returns {Promise<string>}
   */
  ask(line) {
    return this.isOnline && this.main ? this.main.ask(line) : Promise.reject(new Disconnected());
  }

  /** A session of its own; it is lost with the connection. */
  channel() {
    this.number += 1;
    const name = String(this.number);
    const { socket } = this;
    const channel = new Channel(
      (message) => socket?.send(`${name} ${message}`),
      () => {
        this.channels.delete(name);
        socket?.send(name);
      },
    );
    if (socket?.readyState === WebSocket.OPEN) this.channels.set(name, channel);
    else channel.lose();
    return channel;
  }

  /**
   * Keeps a streaming request open, over reconnections too.
   * @param {() => string} request its line, asked for each time
   * @param {Subscriber} subscriber
   * @returns {{close: () => void}}
   */
  subscribe(request, subscriber) {
    let isOpen = true;
    /** @type {Channel | null} */
    let channel = null;
    const close = () => {
      isOpen = false;
      unwatch();
      channel?.close();
    };
    /** @param {Refusal | null} error */
    const end = (error) => {
      if (!isOpen) return;
      close();
      subscriber.ended?.(error);
    };
    const follow = async () => {
      channel = this.channel();
      try {
        subscriber.begun?.();
        await channel.ask(request(), (line) => isOpen && subscriber.line(line));
        end(null);
      } catch (error) {
        if (error instanceof Refusal) end(error);
        else if (isOpen) subscriber.lost?.();
      }
    };
    const unwatch = this.watch((network) => {
      if (network === 'online') follow();
    });
    if (this.isOnline) follow();
    return { close };
  }

  // -- the socket -------------------------------------------------------------------------------

  connect() {
    window.clearTimeout(this.timer);
    this.timer = undefined;
    const socket = new WebSocket(this.url);
    this.socket = socket;
    this.heard = performance.now();
    this.pinged = null;
    const isMine = () => this.socket === socket;
    socket.addEventListener('open', () => {
      if (isMine()) this.begin();
    });
    socket.addEventListener('message', (event) => {
      if (isMine()) this.take(String(event.data));
    });
    socket.addEventListener('close', (event) => {
      if (isMine()) this.lose(event.reason ?? '');
    });
  }

  /** The greetings of a new connection. */
  async begin() {
    const { socket } = this;
    const main = this.channel();
    this.main = main;
    try {
      for (const greeting of this.greetings) await greeting((line) => main.ask(line));
    } catch {
      // Without them the page does not know the server: it tries again later.
      if (this.socket === socket) this.lose('');
      return;
    }
    if (this.socket === socket) this.become('online');
  }

  /** @param {string} message */
  take(message) {
    this.heard = performance.now();
    this.pinged = null;
    const [number] = message.split(' ', 1);
    const channel = this.channels.get(number);
    if (!channel) return;
    // The server has something to say: it is there.
    this.failures = 0;
    if (message.length > number.length) {
      channel.take(message.slice(number.length + 1));
      return;
    }
    this.channels.delete(number);
    channel.lose();
    if (channel === this.main) this.lose('');
  }

  /** The connection is of no use any more. @param {string} reason */
  lose(reason) {
    const { socket } = this;
    this.socket = null;
    this.main = null;
    this.reason = reason;
    // A socket over a stalled network would not close for long; nothing of it is heard any more.
    socket?.close();
    this.timer = window.setTimeout(() => this.connect(), backOff(this.failures, this.random()));
    this.failures += 1;
    this.become(this.failures > FEW || !navigator.onLine ? 'offline' : 'reconnecting');
    const channels = [...this.channels.values()];
    this.channels.clear();
    for (const channel of channels) channel.lose();
  }

  /** @param {Network} network */
  become(network) {
    if (network === this.network) return;
    this.network = network;
    for (const watcher of this.watchers) watcher(network);
  }

  /** Asks whether the server is still there, unless it is being asked. */
  check() {
    if (this.socket?.readyState !== WebSocket.OPEN || this.pinged !== null) return;
    this.pinged = performance.now();
    this.socket.send('ping');
  }

  /** Looks whether the connection has stalled. */
  look() {
    if (!this.socket) return;
    const now = performance.now();
    const opening = this.socket.readyState === WebSocket.CONNECTING;
    if (opening ? now - this.heard > OPENING : this.pinged !== null && now - this.pinged > ANSWER)
      this.lose(t('network.silent'));
    else if (!opening && now - this.heard > QUIET) this.check();
  }
}

/** Lines of a key and its values. @param {string} text @returns {Map<string, string[]>} */
export function readKeys(text) {
  return new Map(
    text.split('\n').map((line) => {
      const [key, ...values] = line.trim().split(/\s+/);
      return [key, values];
    }),
  );
}

/** The first word of a line of a reply, and what follows it. @param {string} line @returns {[string, string]} */
export function keyAndRest(line) {
  const at = line.indexOf(' ');
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
}
