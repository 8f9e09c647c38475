import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RecordingServer, startRecordingServer } from '../testing/recording-server.ts';
import { demoCommand } from './demo-command.ts';
import { type DemoCall, readOptions, UsageError } from './options.ts';

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer({ answer: (key) => ({ value: key === 'new-checkout', variant: 'true' }) });
});
afterEach(() => server.close());

async function command(given: DemoCall): Promise<{ code: number; output: string }> {
  const lines: string[] = [];
  const { signal } = new AbortController();
  const code = await demoCommand(
    { endpoint: server.endpoint, once: true, ...given },
    { print: (line) => void lines.push(line), signal },
  );
  return { code, output: lines.join('\n') };
}

describe('fanion demo', () => {
  it('sets everything up by itself and says how to sign in', async () => {
    const { code, output } = await command({ backfill: '2m' });
    expect(code, output).toBe(0);
    expect(output).toContain(server.endpoint);
    expect(output).toMatch(/e-mail +demo@fanion\.example/);
    expect(output).toMatch(/password +\S+/);
    expect(server.spans.length).toBeGreaterThan(0);
    const ofrep = server.calls.filter(({ path }) => path.startsWith('/ofrep/'));
    expect(ofrep.length).toBeGreaterThan(0);
    for (const { headers } of ofrep) expect(headers.authorization).toBe('Bearer svc_sdk_1');
  });

  it('creates the flags once, does not change them afterwards, and revokes its secrets', async () => {
    await command({ backfill: '0' });
    const puts = () => server.calls.filter(({ method }) => method === 'PUT');
    const flags = [
      'new-checkout',
      'payment-provider',
      'discount',
      'image-cdn',
      'search-box',
      'wishlist-hint',
      'button-colour',
    ];
    const releases = ['guarded-release', 'guarded-release'];
    expect(puts().map(({ path }) => path.split('/').at(-1))).toEqual([...flags, ...releases]);
    const acts = () => server.calls.filter(({ path }) => /\/(arm|start)$/.test(path));
    expect(acts()).toHaveLength(4);
    expect(puts()[0]?.body).toMatchObject({ enabled: true, version: 0, fallthrough: { rollout: {} } });
    const again = await command({ backfill: '0' });
    expect(again.output).toContain('logged in');
    expect(puts()).toHaveLength(9);
    expect(acts()).toHaveLength(4);
    const deleted = server.calls.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
    expect(deleted).toEqual(['t1', 'k1', 't1', 'k1'].map((id) => `/api/v1/tokens/${id}`));
  });

  it('uses given credentials without touching the account', async () => {
    const { code } = await command({ token: 'svc_pat_9' });
    expect(code).toBe(0);
    expect(server.calls.filter(({ path }) => path.startsWith('/api/'))).toEqual([]);
    expect(server.spans.length).toBeGreaterThan(0);
  });

  it('reports a wrong password', async () => {
    await command({ backfill: '0' });
    server.answerAlways('/api/v1/auth/login', 401);
    const { code, output } = await command({});
    expect(code).toBe(1);
    expect(output).toContain('the account exists');
  });
});

describe('the command line', () => {
  it('is read with its defaults', () => {
    expect(readOptions({ backfill: '24h', rate: '20' })).toMatchObject({
      endpoint: 'http://127.0.0.1:8080',
      backfillMs: 86_400_000,
      rate: 20,
      seed: 1,
      once: false,
    });
    expect(readOptions({ backfill: '0' }).backfillMs).toBe(0);
    expect(readOptions({}).backfillMs).toBeUndefined();
  });

  it.each([
    ['--backfill', '24'],
    ['--backfill', 'day'],
    ['--backfill', '900d'],
    ['--rate', '0'],
    ['--rate', 'fast'],
    ['--seed', '-1'],
    ['--endpoint', 'nowhere'],
    ['--endpoint', 'ftp://somewhere'],
    ['--sdk-key', 'svc_sdk_x'],
  ])('rejects %s %s', (option, value) => {
    expect(() => readOptions({ [option.slice(2)]: value })).toThrow(UsageError);
  });

  it('requires your own password for a server that others can reach', async () => {
    const lines: string[] = [];
    const fetched = await demoCommand(
      { endpoint: 'http://shop.invalid', once: true },
      {
        print: (line) => void lines.push(line),
        signal: AbortSignal.abort(),
      },
    );
    expect(fetched).toBe(2);
    expect(lines.join('\n')).toContain('--password');
  });
});
