import { postRequest } from '../support/load.ts';
import { type Context, flagKeys, manyContexts, oneContext } from './contender.ts';
import type { Ours } from './fanion-server.ts';

/** What a request asks for. */
export type Asked = 'one flag' | 'all flags' | 'rules';

/** A way to ask the server, with whole HTTP requests that are sent in turn. */
export interface DoorRequest {
  readonly door: string;
  readonly asked: Asked;
  readonly port: number;
  readonly requests: readonly string[];
}

export interface DoorStream {
  readonly door: string;
  readonly port: number;
  /** The request of the stream with this number. */
  readonly request: (at: number) => string;
}

function get(path: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** A header that Node's parser ignores, and with which a request is not read without it (`packages/server/src/http/raw-parse.ts`). */
const throughFramework = { trailer: 'none' };
const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const contextAt = (at: number): Context => manyContexts[at % manyContexts.length] ?? oneContext;

function launchDarkly({ targetingKey, ...attributes }: Context): string {
  return base64({ kind: 'user', key: targetingKey, ...attributes });
}

function unleash({ targetingKey, ...attributes }: Context): string {
  const properties = Object.entries(attributes).map(([name, value]) => [`properties[${name}]`, value]);
  return `/unleash/api/frontend?${new URLSearchParams([['userId', targetingKey], ...properties])}`;
}

function growthBook(key: string, { targetingKey, ...attributes }: Context): string {
  return postRequest(`/growthbook/api/eval/${key}`, { attributes: { id: targetingKey, ...attributes } });
}

/** First of each kind is Fanion's own, to which the others are compared. */
export function doorRequests({ port, key, clientKey }: Ours, flagdPort: number): readonly DoorRequest[] {
  const bearer = { authorization: `Bearer ${key}` };
  const plain = { authorization: key };
  const client = { authorization: clientKey };
  const flagd = '/flagd.evaluation.v1.Service';
  const evaluating =
    (asked: Asked) =>
    (door: string, ask: (context: Context) => string, at = port): DoorRequest => ({
      ...{ door, asked, port: at, requests: manyContexts.map(ask) },
    });
  const [one, all] = [evaluating('one flag'), evaluating('all flags')];
  const rules = (door: string, request: string): DoorRequest => ({ door, asked: 'rules', port, requests: [request] });
  return [
    one('OFREP', (context) => postRequest(`/ofrep/v1/evaluate/flags/${flagKeys[1]}`, { context }, bearer)),
    one(
      'flagd, Connect',
      (context) => postRequest(`${flagd}/ResolveBoolean`, { flagKey: flagKeys[1], context }, bearer),
      flagdPort,
    ),
    all('OFREP', (context) => postRequest('/ofrep/v1/evaluate/flags', { context }, bearer)),
    all('LaunchDarkly, browser', (context) => get(`/sdk/evalx/${clientKey}/contexts/${launchDarkly(context)}`)),
    all('the same through the framework', (context) =>
      get(`/sdk/evalx/${clientKey}/contexts/${launchDarkly(context)}`, throughFramework),
    ),
    all('LaunchDarkly, mobile', (context) => get(`/msdk/evalx/contexts/${launchDarkly(context)}`, client)),
    all('LaunchDarkly, second generation', (context) => get(`/sdk/poll/eval/${launchDarkly(context)}`, client)),
    all('Unleash, frontend', (context) => get(unleash(context), client)),
    all('GrowthBook, remote evaluation', (context) => growthBook(clientKey, context)),
    all('flagd, Connect', (context) => postRequest(`${flagd}/ResolveAll`, { context }, bearer), flagdPort),
    rules('ruleset', get('/api/v1/sdk/flags/ruleset', bearer)),
    rules('LaunchDarkly', get('/sdk/latest-all', plain)),
    rules('LaunchDarkly, second generation', get('/sdk/poll', plain)),
    rules('Unleash', get('/unleash/api/client/features', plain)),
    rules('Unleash, delta', get('/unleash/api/client/delta', plain)),
    rules('GrowthBook', get(`/growthbook/api/features/${key}`)),
  ];
}

/** `eventToken`: of the address that OFREP's answers give. */
export function doorStreams(
  { port, key, clientKey }: Ours,
  flagdPort: number,
  eventToken: string,
): readonly DoorStream[] {
  const bearer = { authorization: `Bearer ${key}` };
  const plain = { authorization: key };
  const client = { authorization: clientKey };
  const same = (door: string, request: string): DoorStream => ({ door, port, request: () => request });
  const flagd = Buffer.from('{}');
  const frame = Buffer.concat([Buffer.from([0, 0, 0, 0, flagd.length]), flagd]).toString('latin1');
  const connect = { host: '127.0.0.1', 'content-type': 'application/connect+json', ...bearer };
  const lines = Object.entries({ ...connect, 'content-length': frame.length }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const eventStream = `POST /flagd.evaluation.v1.Service/EventStream HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${frame}`;
  return [
    same('OFREP', get(`/ofrep/v1/events?token=${eventToken}`)),
    same('ruleset', get('/api/v1/sdk/flags/stream', bearer)),
    same('LaunchDarkly', get('/all', plain)),
    same('LaunchDarkly, second generation', get('/sdk/stream', plain)),
    { door: 'LaunchDarkly, browser', port, request: (at) => get(`/eval/${clientKey}/${launchDarkly(contextAt(at))}`) },
    {
      ...{ door: 'LaunchDarkly, browser, second generation', port },
      request: (at) => get(`/sdk/stream/eval/${launchDarkly(contextAt(at))}`, client),
    },
    same('Unleash', get('/unleash/api/client/streaming', plain)),
    same('GrowthBook', get(`/growthbook/sub/${key}`)),
    { door: 'flagd, Connect', port: flagdPort, request: () => eventStream },
  ];
}
