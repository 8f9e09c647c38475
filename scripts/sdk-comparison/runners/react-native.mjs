import { request } from 'node:http';
import { register } from 'node:module';

/** What LaunchDarkly's SDK needs of React Native, so that it runs without a phone. Import it before the SDK. */

const device = `
export const AppState = { currentState: 'active', addEventListener: () => ({ remove() {} }) };
export const NativeModules = {};
export const Platform = { OS: 'android', Version: 34, constants: {}, select: ({ android, default: other }) => android ?? other };
`;

/** The SDK has a copy of this in CommonJS. */
const digest = `
import { createHash, createHmac } from 'node:crypto';
const hasher = (of) => ({
  update: (data) => of.update(data),
  hex: () => of.digest('hex'),
  arrayBuffer: () => new Uint8Array(of.digest()).buffer,
});
export const sha256 = {
  create: () => hasher(createHash('sha256')),
  hmac: { create: (key) => hasher(createHmac('sha256', key)) },
};
`;

const module = (source) => `data:text/javascript,${encodeURIComponent(source)}`;

/** Bundlers of React Native complete paths. */
const hooks = `
const others = ${JSON.stringify({ 'react-native': module(device), 'js-sha256': module(digest) })};
export async function resolve(name, context, next) {
  const url = others[name.split('/').at(-1)];
  if (url !== undefined) return { url, shortCircuit: true };
  if (!name.startsWith('.') || /[.]m?js$/.test(name)) return next(name, context);
  return next(name + '.js', context).catch(() => next(name + '/index.js', context));
}
`;
register(module(hooks));

/** The part of `XMLHttpRequest` that streams of events use. */
globalThis.XMLHttpRequest = class {
  static UNSENT = 0;
  static LOADING = 3;
  static DONE = 4;
  readyState = 0;
  status = 0;
  responseText = '';
  #headers = {};

  open(method, url) {
    Object.assign(this, { method, url, readyState: 1, status: 0, responseText: '' });
    this.#headers = {};
  }
  setRequestHeader(name, value) {
    this.#headers[name] = value;
  }
  send(body) {
    const { method, url } = this;
    this.sent = request(url, { method, headers: this.#headers }, (answer) => {
      this.status = answer.statusCode;
      answer.setEncoding('utf8');
      answer.on('data', (text) => {
        this.responseText += text;
        this.#become(XMLHttpRequest.LOADING);
        this.onprogress?.();
      });
      answer.on('end', () => this.#become(XMLHttpRequest.DONE));
    });
    this.sent.on('error', () => this.onerror?.());
    this.sent.end(body);
  }
  abort() {
    this.sent?.destroy();
    this.readyState = XMLHttpRequest.UNSENT;
  }
  #become(state) {
    this.readyState = state;
    this.onreadystatechange?.();
  }
};
