import { createHmac } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ChannelKind, channelKinds } from '@fanion/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Recorder, type Script, startRecorder } from '../../../testing/recorder.ts';
import { channelRow, configsAt, resolvedSample, sample, sampleNow, testSender } from './testing/sample.ts';

let recorder: Recorder;
beforeAll(async () => {
  recorder = await startRecorder();
});
afterAll(() => recorder?.stop());
beforeEach(() => {
  recorder.requests.length = 0;
});

const sender = testSender();
const { signal } = new AbortController();
const channelOf = (kind: ChannelKind) => channelRow(kind, configsAt(recorder.url)[kind]);
const send = (kind: ChannelKind, notification = sample) => {
  const channel = channelOf(kind);
  return sender.send(channel, sender.render(channel, notification), 'delivery-1', signal);
};

describe('a message', () => {
  /**
   * What each receiver gets, as files to read; `UPDATE_GOLDEN=1` writes them again. `bodies.test.ts` checks them against
   * what the receivers document.
   */
  it.each(channelKinds.filter((kind) => kind !== 'email'))('to %s is the golden one', async (kind) => {
    const requests = [];
    for (const notification of [sample, resolvedSample]) {
      recorder.requests.length = 0;
      expect(await send(kind, notification)).toMatchObject({ kind: 'delivered', status: 200 });
      const [{ method, path, headers, body } = { method: '', path: '', headers: {}, body: '' }] = recorder.requests;
      const { host: _host, connection: _connection, ...shown } = headers;
      requests.push({ method, path, headers: shown, body: JSON.parse(body) });
    }
    golden(`${kind}.txt`, JSON.stringify(requests, null, 2));
  });

  it('as mail is the golden one', async () => {
    expect(await send('email')).toEqual({ kind: 'delivered', status: null, answer: '250 OK' });
    const [{ to, subject, text, html, id } = { to: '', subject: '', text: '', html: '', id: '' }] = sender.mailer.mails;
    expect([to, id]).toEqual([['ada@example.com', 'bob@example.com'], 'delivery-1@fanion']);
    golden('email.txt', `${subject}\n\n${text}`);
    golden('email-html.txt', html ?? '');
  });

  it.each(channelKinds)('to %s is stored without secrets, and rendered the same each time', (kind) => {
    const channel = channelOf(kind);
    const message = sender.render(channel, sample);
    expect(sender.render(channel, sample)).toBe(message);
    for (const secret of ['top-secret', 'R0UT1NG', 'g-e-n-i-e', '123:abc', 'secret-topic', 'tk_x', recorder.url])
      expect(message).not.toContain(secret);
  });

  it('to a webhook is signed over its time and its bytes', async () => {
    await send('webhook');
    const [request] = recorder.requests;
    const [, time, signature] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(request?.headers['x-fanion-signature'])) ?? [];
    expect(Number(time)).toBe(sampleNow / 1_000);
    expect(createHmac('sha256', 'top-secret').update(`${time}.${request?.body}`).digest('hex')).toBe(signature);
    expect(request?.headers['idempotency-key']).toBe('delivery-1');
  });

  it('to a webhook without a secret is not signed', async () => {
    const channel = channelRow('webhook', { url: recorder.url });
    await sender.send(channel, sender.render(channel, sample), 'delivery-1', signal);
    expect(recorder.requests[0]?.headers['x-fanion-signature']).toBe(undefined);
  });
});

describe('an answer', () => {
  const json = (status: number, body: unknown, headers: Record<string, string> = {}): Script => ({
    status,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers,
  });
  it.each<[ChannelKind, Script, object]>([
    ['webhook', { status: 200, body: 'a\0b' }, { kind: 'delivered', answer: 'a\uFFFDb' }],
    ['webhook', json(204, ''), { kind: 'delivered', status: 204, answer: '' }],
    [
      'webhook',
      json(429, 'slow', { 'retry-after': '30' }),
      { kind: 'retry', status: 429, retryAfterMs: 30_000, answer: 'slow' },
    ],
    [
      'webhook',
      json(503, '', { 'retry-after': new Date(sampleNow + 90_000).toUTCString() }),
      { kind: 'retry', status: 503, retryAfterMs: 90_000 },
    ],
    ['webhook', json(503, '', { 'retry-after': '999999' }), { kind: 'retry', retryAfterMs: 3_600_000 }],
    ['webhook', json(503, '', { 'retry-after': 'soon' }), { kind: 'retry', status: 503, error: 'HTTP 503' }],
    ['webhook', json(400, 'no'), { kind: 'final', status: 400, error: 'HTTP 400', answer: 'no' }],
    ['webhook', json(301, '', { location: '/' }), { kind: 'final', error: 'HTTP 301: redirects are not followed' }],
    ['slack', json(200, 'ok'), { kind: 'delivered' }],
    ['slack', json(200, 'invalid_payload'), { kind: 'final', error: 'Slack answered invalid_payload' }],
    ['slack', json(200, { ok: false, error: 'no_service' }), { kind: 'final', error: 'Slack answered no_service' }],
    ['slack', json(200, 'rate_limited'), { kind: 'retry' }],
    ['slack', json(403, 'action_prohibited'), { kind: 'final', answer: 'action_prohibited' }],
    ['slack', json(404, 'channel_not_found'), { kind: 'final' }],
    ['teams', json(202, ''), { kind: 'delivered' }],
    [
      'teams',
      json(200, 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429'),
      { kind: 'retry' },
    ],
    [
      'teams',
      json(200, 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 413'),
      { kind: 'final' },
    ],
    ['discord', json(429, { retry_after: 0.65 }, { 'retry-after': '0.65' }), { kind: 'retry', retryAfterMs: 650 }],
    ['telegram', json(429, { ok: false, parameters: { retry_after: 35 } }), { kind: 'retry', retryAfterMs: 35_000 }],
    ['telegram', json(400, { ok: false, description: 'chat not found' }), { kind: 'final', status: 400 }],
    ['pagerduty', json(202, { status: 'success' }), { kind: 'delivered' }],
    ['pagerduty', json(400, { status: 'invalid event' }), { kind: 'final' }],
    ['opsgenie', json(422, { message: 'no' }), { kind: 'final' }],
    ['ntfy', json(507, ''), { kind: 'retry' }],
  ])('of %s: %j is %j', async (kind, script, attempt) => {
    recorder.answer(script);
    expect(await send(kind)).toMatchObject(attempt);
    expect(recorder.requests).toHaveLength(1);
  });

  it('that does not come is retried', async () => {
    recorder.answer((response) => response.socket?.resetAndDestroy());
    expect(await send('webhook')).toMatchObject({ kind: 'retry', status: null });
    recorder.answer(() => {});
    const hasty = testSender(100);
    const channel = channelOf('webhook');
    expect(await hasty.send(channel, 'x', 'delivery-1', signal)).toMatchObject({
      kind: 'retry',
      error: 'no answer within 0.1 s',
    });
  });

  it('of an address that is not allowed is final', async () => {
    const channel = channelRow('webhook', { url: 'http://169.254.169.254/latest' });
    expect(await sender.send(channel, '{}', 'delivery-1', signal)).toMatchObject({
      kind: 'final',
      status: null,
      error: 'the address is not allowed: a link-local address (FANION_EGRESS_ALLOW opens ranges)',
    });
  });

  it('is final for a channel whose secrets cannot be read', async () => {
    const channel = { ...channelOf('webhook'), id: '019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e11' };
    expect(await sender.send(channel, '{}', 'delivery-1', signal)).toMatchObject({
      kind: 'final',
      error: expect.stringContaining('secret'),
    });
    expect(recorder.requests).toEqual([]);
  });
});

/** Compares with a file of `golden`. */
function golden(name: string, text: string): void {
  const directory = fileURLToPath(new URL('golden/', import.meta.url));
  if (process.env.UPDATE_GOLDEN === '1') {
    mkdirSync(directory, { recursive: true });
    writeFileSync(`${directory}${name}`, `${text}\n`);
  }
  expect(`${text}\n`).toBe(readFileSync(`${directory}${name}`, 'utf8'));
}
