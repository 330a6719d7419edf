// The protocol over a WebSocket: requests in order, replies as promises, streams as callbacks.

/** The address of the server's WebSocket. */
export const socketUrl = () => {
  const url = new URL('ws', location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.hash = '';
  return url.href;
};

/** An error reply of the server; `message` is its text. */
export class Refusal extends Error {}

/**
 * A request without its reply yet.
 * @typedef {object} Waiting
 * @property {(text: string) => void} done
 * @property {(error: Error) => void} failed
 * @property {((line: string) => void) | null} line for a streaming reply
 * @property {boolean} open whether the stream has begun
 */

export class Connection {
  /**
   * @param {string} url
   * @param {(state: 'open' | 'closed') => void} [onState]
   */
  constructor(url, onState = () => {}) {
    /** @type {Waiting[]} */
    this.waiting = [];
    this.socket = new WebSocket(url);
    /** @type {Promise<void>} */
    this.ready = new Promise((resolve, reject) => {
      this.socket.addEventListener('open', () => {
        onState('open');
        resolve();
      });
      this.socket.addEventListener('close', () => {
        const error = new Error('the server is not connected');
        reject(error);
        for (const { failed } of this.waiting.splice(0)) failed(error);
        onState('closed');
      });
    });
    this.ready.catch(() => {});
    this.socket.addEventListener('message', (event) => this.take(String(event.data)));
  }

  get isOpen() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** The reply's text; rejects with a Refusal. @param {string} line @returns {Promise<string>} */
  ask(line) {
    return this.send(line, null);
  }

  /**
   * A streaming reply: resolves when it has ended.
   * @param {string} line
   * @param {(line: string) => void} onLine
   */
  stream(line, onLine) {
    return this.send(line, onLine);
  }

  /**
   * @param {string} line
   * @param {((line: string) => void) | null} onLine
   * @returns {Promise<string>}
   */
  async send(line, onLine) {
    await this.ready;
    return new Promise((done, failed) => {
      if (!this.isOpen) {
        failed(new Error('the server is not connected'));
        return;
      }
      this.waiting.push({ done, failed, line: onLine, open: false });
      this.socket.send(line);
    });
  }

  /** Ends the running stream. */
  stop() {
    if (this.isOpen) this.socket.send('');
  }

  /** Makes the running search answer at once. */
  interrupt() {
    if (this.isOpen) this.socket.send('# interrupt');
  }

  close() {
    this.socket.close();
  }

  /** @param {string} message */
  take(message) {
    const [first] = this.waiting;
    if (!first) return;
    if (first.open) {
      if (message) {
        first.line?.(message);
      } else {
        this.waiting.shift();
        first.done('');
      }
      return;
    }
    const text = message.slice(1).trim();
    if (message.startsWith('?')) {
      this.waiting.shift();
      first.failed(new Refusal(text));
    } else if (first.line) {
      first.open = true;
    } else {
      this.waiting.shift();
      first.done(text);
    }
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
