import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { flagsOf, half } from '../flags/support.ts';
import { freePort, type ServerProcess, serveProcess, startProcess } from '../support/server-process.ts';
import { itemsOfBatch, type Target, targetOf } from './support/endpoints.ts';
import { ownMetrics } from './support/processes.ts';
import { compareWithDirectory, drained, freshDirectory, push, tallyText } from './support/stored.ts';

const dayMs = 86_400_000;

/** One batch in 24 spans ten days, so that there are several parts of each table. */
function times(batch: number): number[] {
  const now = Date.now() - 1000;
  return Array.from({ length: itemsOfBatch }, (_, i) => now - (batch % 24 === 0 ? (i % 10) * dayMs : i));
}

describe('a backup of a running server', () => {
  const source = freshDirectory('source');
  const restored = freshDirectory('restored');
  const backups = freshDirectory('backups');
  /** Everything that the source has acknowledged. */
  const acknowledged = new Map();
  let port: number;
  let grpcPort: number;
  let server: ServerProcess;
  let user: SignedUp;
  let key: string;
  let target: Target;

  const start = (dataDir: string, more: Readonly<Record<string, string>> = {}) =>
    serveProcess(dataDir, port, { FANION_OTLP_GRPC_PORT: String(grpcPort), FANION_RETENTION_DAYS: '90', ...more });

  beforeAll(async () => {
    [port, grpcPort] = [await freePort(), await freePort()];
    server = await start(source.path);
    user = await signUp(server.base);
    target = targetOf(server.base, grpcPort, await user.token(['telemetry:ingest']));
    await flagsOf(user).create('split');
    await flagsOf(user).serve('split', { fallthrough: { rollout: { weights: half } } });
    key = await user.sdkKey();
  });
  afterAll(async () => {
    target?.grpc.close();
    await server?.end('SIGKILL');
    for (const directory of [source, restored, backups]) directory.remove();
  });

  /** `fanion …` on the source's data directory; resolves with its exit code and output. */
  async function fanion(...args: readonly string[]): Promise<{ code: number | null; output: string }> {
    const { child, output } = startProcess(args, { FANION_DATA_DIR: source.path });
    const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
    return { code, output: output() };
  }

  /** The variants of many users. */
  async function variants(base: string): Promise<string[]> {
    const sdk = testClient(base, { bearer: key });
    const answers = Array.from({ length: 50 }, (_, n) =>
      sdk.post('/ofrep/v1/evaluate/flags/split', { context: { targetingKey: `user-${n}` } }),
    );
    return (await Promise.all(answers)).map(({ text }) => text);
  }

  /** Frozen files that are still there. */
  const frozen = () =>
    ['telemetry', 'wal', 'control'].flatMap((store) => {
      const folder = join(source.path, store, 'frozen');
      return existsSync(folder) ? readdirSync(folder) : [];
    });
  const partials = () => readdirSync(backups.path).filter((name) => name.endsWith('.partial'));
  const complete = () => readdirSync(backups.path).filter((name) => !name.endsWith('.partial'));

  /** Makes copying take seconds: a file of many bytes that occupies nothing, in a place that is backed up. */
  function layLargeFile(): { remove(): void } {
    const path = join(source.path, 'wal/quarantine/large.bin');
    writeFileSync(path, '');
    truncateSync(path, 1024 ** 3);
    return { remove: () => rmSync(path) };
  }

  it('has everything acknowledged before it began exactly once, while ingest goes on', async () => {
    const pushing = push(() => target, { acknowledged, times });
    // Some is stored by then, and the rest is in the log.
    await until(async () => ((await ownMetrics(server.base)).get('fanion_ingest_rows_stored_total') ?? 0) > 0, 60_000);
    const before = new Map(acknowledged);
    const { code, output } = await fanion('backup', backups.path);
    expect(code, output).toBe(0);
    const during = acknowledged.size;
    await until(async () => acknowledged.size - during > 50, 60_000);
    await pushing.stop();
    expect(during).toBeGreaterThan(before.size);
    const served = await variants(server.base);
    expect(new Set(served).size).toBeGreaterThan(40);
    await drained(server.base, source.path, 60_000);
    await server.end('SIGTERM');

    const [name = ''] = complete();
    const manifest = JSON.parse(readFileSync(join(backups.path, name, 'manifest.json'), 'utf8'));
    expect(manifest.log.segments).toBeGreaterThan(0);
    expect(manifest.telemetry.rows['fanion.spans']).toBeGreaterThan(0);
    expect(manifest.workspaces).toBe(1);
    rmSync(restored.path, { recursive: true });
    const copied = await fanion('restore', join(backups.path, name), '--data', restored.path);
    expect(copied.code, copied.output).toBe(0);
    expect(copied.output).toContain('1 workspaces');

    server = await start(restored.path);
    expect(await variants(server.base)).toEqual(served);
    const me = await testClient(server.base, { cookie: user.cookie }).get('/api/v1/auth/me');
    expect(me.status, me.text).toBe(200);
    const audited = await testClient(server.base, { cookie: user.cookie }).get('/api/v1/audit?action=restore');
    expect(audited.data).toMatchObject([
      {
        action: 'restore.complete',
        actor: { name: expect.stringMatching(/^fanion restore, run by ./) },
        resource: { type: 'backup', id: name, name: join(backups.path, name) },
        after: { taken: manifest.taken, taken_by: expect.stringMatching(/^fanion backup, run by ./) },
      },
    ]);
    await drained(server.base, restored.path, 60_000);
    await server.end('SIGTERM');

    const original = await compareWithDirectory(source.path, acknowledged);
    const copy = await compareWithDirectory(restored.path, before);
    const all = await compareWithDirectory(restored.path, acknowledged);
    console.log(`source: ${tallyText(original)}; restored, acknowledged before: ${tallyText(copy)}`);
    expect([original.lost, original.wrong]).toEqual([[], []]);
    expect([copy.lost, copy.wrong]).toEqual([[], []]);
    // What was acknowledged later is there as a whole, or not at all.
    expect(all.wrong).toEqual([]);
    server = await start(source.path);
  }, 300_000);

  it('is refused by a server that runs, and by one whose files are there', async () => {
    const backup = join(backups.path, complete()[0] ?? '');
    expect(await fanion('restore', backup)).toMatchObject({
      code: 1,
      output: expect.stringContaining(`in use by process ${server.child.pid}`),
    });
    expect(await fanion('restore', backup, '--data', restored.path)).toMatchObject({
      code: 1,
      output: expect.stringContaining('already holds control, telemetry, wal'),
    });
  });

  it('that cannot be written fails with the reason, and leaves the server healthy', async () => {
    const file = join(backups.path, complete()[0] ?? '', 'manifest.json');
    expect(await fanion('backup', file)).toMatchObject({ code: 1, output: expect.stringContaining('EEXIST') });
    expect(frozen()).toEqual([]);
    expect(await fanion('backup', backups.path)).toMatchObject({ code: 0 });
  });

  it('whose command is killed ends, and leaves nothing', async () => {
    const large = layLargeFile();
    const before = complete();
    const { child, end } = startProcess(['backup', backups.path], { FANION_DATA_DIR: source.path });
    await until(async () => partials().length > 0, 60_000);
    expect(child.exitCode).toBe(null);
    await end('SIGKILL');
    await until(async () => partials().length === 0 && frozen().length === 0, 60_000);
    expect(complete()).toEqual(before);
    large.remove();
  });

  it('whose server is killed leaves a server that loses and doubles nothing, and a directory for the next backup', async () => {
    const large = layLargeFile();
    const before = complete();
    const pushing = push(() => target, { acknowledged, times });
    const sent = acknowledged.size;
    await until(async () => acknowledged.size > sent + 20, 60_000);
    const { child, output } = startProcess(['backup', backups.path], { FANION_DATA_DIR: source.path });
    // With all of its output.
    const exited = new Promise((resolve) => child.once('close', resolve));
    await until(async () => partials().length > 0, 60_000);
    await server.end('SIGKILL');
    expect(await exited).toBe(1);
    expect(output()).toContain('the server ended before it had answered');
    await pushing.stop();
    large.remove();
    expect(partials()).toHaveLength(1);
    expect(frozen()).not.toEqual([]);

    server = await start(source.path);
    expect(frozen()).toEqual([]);
    const next = await fanion('backup', backups.path);
    expect(next.code, next.output).toBe(0);
    expect([partials(), complete().length]).toEqual([[], before.length + 1]);
    await drained(server.base, source.path, 60_000);
    await server.end('SIGTERM');
    const tally = await compareWithDirectory(source.path, acknowledged);
    expect([tally.lost, tally.wrong]).toEqual([[], []]);
  }, 300_000);

  it('of a stopped server holds the same as the server', async () => {
    const name = new Set(complete());
    const done = await fanion('backup', backups.path);
    expect(done.code, done.output).toBe(0);
    const added = complete().find((one) => !name.has(one)) ?? '';
    rmSync(restored.path, { recursive: true });
    expect(await fanion('restore', join(backups.path, added), '--data', restored.path)).toMatchObject({ code: 0 });
    const tally = await compareWithDirectory(restored.path, acknowledged);
    expect([tally.lost, tally.wrong]).toEqual([[], []]);
  }, 120_000);

  it('and a snapshot both leave an entry in the audit log when they are restored', async () => {
    const snapshots = join(source.path, 'backups');
    server = await start(source.path, { FANION_SNAPSHOT_MINUTES: '0.01' });
    await flagsOf(user).create('in-the-snapshot');
    const before = existsSync(snapshots) ? readdirSync(snapshots) : [];
    const added = () => readdirSync(snapshots).filter((name) => name.endsWith('.tar.gz') && !before.includes(name));
    await until(async () => existsSync(snapshots) && added().length > 0, 60_000);
    await server.end('SIGTERM');
    const [name = ''] = added().sort().reverse();
    expect(await fanion('restore', join(snapshots, name))).toMatchObject({ code: 0 });
    expect(existsSync(join(source.path, 'restored.json'))).toBe(true);
    server = await start(source.path);
    const client = testClient(server.base, { cookie: user.cookie });
    expect((await client.get('/api/v1/audit?action=restore')).data).toMatchObject([
      { resource: { id: name, name: join(snapshots, name) }, after: { taken: null } },
    ]);
    expect(existsSync(join(source.path, 'restored.json'))).toBe(false);
  }, 180_000);
});
