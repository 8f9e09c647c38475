import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RecordingServer, startRecordingServer } from '../testing/recording-server.ts';
import { demoCommand } from './demo-command.ts';
import { parseOptions, UsageError } from './options.ts';

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer({ answer: (key) => ({ value: key === 'new-checkout', variant: 'true' }) });
});
afterEach(() => server.close());

async function command(...argv: string[]): Promise<{ code: number; output: string }> {
  const lines: string[] = [];
  const { signal } = new AbortController();
  const code = await demoCommand(argv, { print: (line) => void lines.push(line), signal });
  return { code, output: lines.join('\n') };
}

describe('fanion demo', () => {
  it('sets everything up by itself and says how to sign in', async () => {
    const { code, output } = await command('--endpoint', server.endpoint, '--once', '--backfill', '2m');
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
    await command('--endpoint', server.endpoint, '--once', '--backfill', '0');
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
    const again = await command('--endpoint', server.endpoint, '--once', '--backfill', '0');
    expect(again.output).toContain('logged in');
    expect(puts()).toHaveLength(9);
    expect(acts()).toHaveLength(4);
    const deleted = server.calls.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
    expect(deleted).toEqual(['t1', 'k1', 't1', 'k1'].map((id) => `/api/v1/tokens/${id}`));
  });

  it('uses given credentials without touching the account', async () => {
    const { code } = await command('--endpoint', server.endpoint, '--once', '--token', 'svc_pat_9');
    expect(code).toBe(0);
    expect(server.calls.filter(({ path }) => path.startsWith('/api/'))).toEqual([]);
    expect(server.spans.length).toBeGreaterThan(0);
  });

  it('reports a wrong password', async () => {
    await command('--endpoint', server.endpoint, '--once', '--backfill', '0');
    server.answerAlways('/api/v1/auth/login', 401);
    const { code, output } = await command('--endpoint', server.endpoint, '--once');
    expect(code).toBe(1);
    expect(output).toContain('the account exists');
  });

  it('prints its usage', async () => {
    const help = await command('--help');
    expect(help.code).toBe(0);
    for (const option of ['--endpoint', '--backfill', '--rate', '--seed', '--once', '--token', '--sdk-key']) {
      expect(help.output).toContain(option);
    }
    expect((await command('--backfil', '24h')).code).toBe(2);
  });
});

describe('the command line', () => {
  it('is read with its defaults', () => {
    expect(parseOptions(['--backfill', '24h', '--rate', '20'])).toMatchObject({
      endpoint: 'http://127.0.0.1:8080',
      backfillMs: 86_400_000,
      rate: 20,
      seed: 1,
      once: false,
    });
    expect(parseOptions(['--backfill', '0']).backfillMs).toBe(0);
    expect(parseOptions([]).backfillMs).toBeUndefined();
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
    ['surplus', ''],
  ])('rejects %s %s', (...argv) => {
    expect(() => parseOptions(argv)).toThrow(UsageError);
  });

  it('requires your own password for a server that others can reach', async () => {
    const lines: string[] = [];
    const fetched = await demoCommand(['--endpoint', 'http://shop.invalid', '--once'], {
      print: (line) => void lines.push(line),
      signal: AbortSignal.abort(),
    });
    expect(fetched).toBe(2);
    expect(lines.join('\n')).toContain('--password');
  });
});
