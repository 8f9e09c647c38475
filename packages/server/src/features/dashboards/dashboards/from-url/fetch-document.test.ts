import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createBodyThread } from '../../../../http/body-thread.ts';
import { createEgress } from '../../../../platform/egress/index.ts';
import { type Recorder, type Script, startRecorder } from '../../../../testing/recorder.ts';
import { createDocuments } from './fetch-document.ts';

let recorder: Recorder;
const thread = createBodyThread();
beforeAll(async () => {
  recorder = await startRecorder();
});
afterAll(async () => {
  await recorder?.stop();
  await thread.stop();
});
beforeEach(() => {
  recorder.requests.length = 0;
});

const maxBytes = 110_000;
const documentsFor = (allow: readonly string[], timeoutMs = 30_000) =>
  createDocuments({ egress: createEgress({ allow, timeoutMs, answerBytes: 1_024 }), thread, maxBytes });
const documents = documentsFor(['127.0.0.0/8']);
const { signal } = new AbortController();
const json = (body: unknown): Script => ({ status: 200, body: JSON.stringify(body) });
const model = {
  ...{ schema_version: 1, name: 'Shop', description: '', tags: [], panels: [], variables: [], links: [] },
  time: { from: 'now-1h', to: 'now', refresh: 'off', time_zone: 'browser' },
};

it('fetches a document without credentials, also one that is larger than the answer of a channel', async () => {
  const grafana = { title: 'Node', description: 'x'.repeat(100_000), panels: [] };
  recorder.answer(json(grafana));
  expect(await documents.fetch('w', `${recorder.url}/node.json#panel`, signal)).toEqual({ foreign: grafana });
  expect(recorder.requests).toMatchObject([{ method: 'GET', path: '/node.json', body: '' }]);
  expect(Object.keys(recorder.requests[0]?.headers ?? {}).sort()).toEqual(
    ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'].sort(),
  );
});

it('reads an exported dashboard with its defaults, without where it was stored', async () => {
  recorder.answer(json({ schema_version: 1, name: 'Shop', panels: [], project: 'elsewhere' }));
  expect(await documents.fetch('w', recorder.url, signal)).toEqual({ own: model });
});

it('reports what is wrong with an exported dashboard', async () => {
  recorder.answer(json({ schema_version: 1, name: 'Shop', panels: {} }));
  await expect(documents.fetch('w', recorder.url, signal)).rejects.toMatchObject({
    error: 'DASHBOARD_INVALID',
    message: expect.stringContaining('panels: Invalid input: expected array'),
  });
});

it.each<[string, Script, RegExp]>([
  ['the document is too large', json('x'.repeat(maxBytes)), /larger than 110000 bytes/],
  ['the status is not 200', { status: 404, body: '{}' }, /the server answered HTTP 404$/],
  [
    'the address redirects',
    { status: 302, headers: { location: '/other.json' } },
    /redirects to http:\/\/127\.0\.0\.1:\d+\/other\.json, and redirects are not followed/,
  ],
  [
    'the type is HTML',
    { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: 'Sign in' },
    /a web page \(HTML\) instead of JSON/,
  ],
  ['the document begins like HTML', { status: 200, body: '\n<!doctype html>' }, /a web page \(HTML\) instead of JSON/],
  ['the document is empty', { status: 200, body: '' }, /the answer is empty/],
  ['the document is not JSON', { status: 200, body: 'secret: 1' }, /the document is not valid JSON$/],
  ['an object has too many members', json({ ...Array(10_001).fill(1) }), /members in one object/],
  ['the document is nested too deep', { status: 200, body: '['.repeat(200) + ']'.repeat(200) }, /deep/],
  [
    'the document breaks off',
    (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{', () => response.destroy());
    },
    /the connection broke off/,
  ],
  ['the connection is reset', (response) => response.socket?.resetAndDestroy(), /reset|hang up/],
])('reports at the URL that %s', async (_what, script, message) => {
  recorder.answer(script);
  await expect(documents.fetch('w', recorder.url, signal)).rejects.toMatchObject({
    error: 'DASHBOARD_NOT_FETCHED',
    message: expect.stringMatching(message),
    details: [{ path: 'url', message: expect.stringMatching(message) }],
  });
  expect(recorder.requests).toHaveLength(1);
});

it.each<[string, Script, RegExp]>([
  ['no answer comes', () => {}, /no answer within 0\.2 s/],
  ['the document never ends', (response) => response.writeHead(200).write('{'), /took too long to arrive/],
])('reports when %s in time', async (_what, script, message) => {
  recorder.answer(script);
  await expect(documentsFor(['127.0.0.0/8'], 200).fetch('w', recorder.url, signal)).rejects.toMatchObject({
    error: 'DASHBOARD_NOT_FETCHED',
    message: expect.stringMatching(message),
  });
});

it.each([
  ['a loopback address', 'http://127.0.0.1:PORT/', /not allowed: a loopback address/],
  ['a local name', 'http://localhost:PORT/', /not allowed: localhost: a loopback address/],
  ['the address of cloud metadata', 'http://169.254.169.254/latest/meta-data', /not allowed: a link-local address/],
  ['a private address', 'http://10.0.0.1/', /not allowed: a private address/],
  ['a file', 'file:///etc/passwd', /unsupported protocol file:/],
  ['a user name', 'http://ada@example.com/', /user name or password/],
  ['text', 'node exporter', /not a URL/],
])('refuses %s before it connects', async (_what, url, message) => {
  const before = recorder.connections();
  const fetched = documentsFor([]).fetch('w', url.replace('PORT', String(recorder.port)), signal);
  await expect(fetched).rejects.toMatchObject({
    error: 'DASHBOARD_NOT_FETCHED',
    message: expect.stringMatching(message),
  });
  expect(recorder.connections()).toBe(before);
});

it('fetches two documents of a workspace and eight of the server at the same time', async () => {
  const ends: (() => void)[] = [];
  const hold: Script = (response) => void ends.push(() => response.end('{}'));
  recorder.answer(...Array<Script>(8).fill(hold));
  const fetch = (workspace: string) => documents.fetch(workspace, recorder.url, signal);
  const running = [fetch('a'), fetch('a')];
  const limited = { error: 'IMPORTS_LIMITED', retryAfterSeconds: 5 };
  await expect(fetch('a')).rejects.toMatchObject(limited);
  for (const workspace of ['b', 'b', 'c', 'c', 'd', 'd']) running.push(fetch(workspace));
  await expect(fetch('e')).rejects.toMatchObject(limited);
  await expect.poll(() => ends.length).toBe(8);
  for (const end of ends) end();
  expect(await Promise.all(running)).toEqual(Array(8).fill({ foreign: {} }));
  expect(await fetch('a').catch(({ error }) => error)).toBe('DASHBOARD_NOT_FETCHED');
});
