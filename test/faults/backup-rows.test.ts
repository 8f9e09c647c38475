import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { layInitialStores } from '../../packages/server/src/testing/initial-stores.ts';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { startOwnPostgres, type TestStore } from '../../packages/server/src/testing/test-database.ts';
import { flagsOf, half } from '../flags/support.ts';
import { freePort, runProcess, type ServerProcess, serveProcess, startProcess } from '../support/server-process.ts';
import { itemsOfBatch, type Target, targetOf } from './support/endpoints.ts';
import { killedAt, ownMetrics } from './support/processes.ts';
import { compareWith, drained, freshDirectory, push, tallyText } from './support/stored.ts';

const dayMs = 86_400_000;
const secretKey = 'a-secret-key-of-all-servers-of-this-test';

/** One batch in 24 spans ten days, so that there are several parts of each table. */
function times(batch: number): number[] {
  const now = Date.now() - 1000;
  return Array.from({ length: itemsOfBatch }, (_, i) => now - (batch % 24 === 0 ? (i % 10) * dayMs : i));
}

describe('a backup of servers on PostgreSQL and ClickHouse', () => {
  const folders = {
    ...{ one: freshDirectory('one'), two: freshDirectory('two'), backups: freshDirectory('backups') },
    ...{
      half: freshDirectory('half'),
      source: freshDirectory('source'),
      target: freshDirectory('target'),
      scheduled: freshDirectory('scheduled'),
    },
  };
  const acknowledged = new Map();
  let postgres: TestStore;
  let engines: ReturnType<typeof startProcess>[];
  let source: { DATABASE_URL: string; CLICKHOUSE_URL: string };
  let target: typeof source;
  let ports: { http: number; grpc: number };
  let server: ServerProcess;
  let user: SignedUp;
  let key: string;
  let doors: Target;

  const serve = (env: typeof source, dataDir = folders.one.path, more: Readonly<Record<string, string>> = {}) =>
    serveProcess(dataDir, ports.http, {
      ...{ FANION_OTLP_GRPC_PORT: String(ports.grpc), FANION_RETENTION_DAYS: '90', FANION_SECRET_KEY: secretKey },
      ...env,
      ...more,
    });

  async function storesAt(folder: string): Promise<{ engine: ReturnType<typeof startProcess>; env: typeof source }> {
    const port = await freePort();
    await layInitialStores(folder, { DATABASE_URL: 'another' });
    const args = ['stores', '--clickhouse', '--data', folder, '--port', String(port), '--password', 'secret'];
    const engine = startProcess(args, {});
    await until(async () => engine.output().includes('CLICKHOUSE_URL'), 60_000);
    const { host, port: socket, database } = (await postgres.fresh()).connection;
    return {
      engine,
      env: {
        DATABASE_URL: `postgres://postgres@/${database}?host=${encodeURIComponent(host)}&port=${socket}`,
        CLICKHOUSE_URL: `http://default:secret@127.0.0.1:${port}`,
      },
    };
  }

  beforeAll(async () => {
    ports = { http: await freePort(), grpc: await freePort() };
    postgres = await startOwnPostgres();
    const [from, to] = [await storesAt(folders.source.path), await storesAt(folders.target.path)];
    engines = [from.engine, to.engine];
    [source, target] = [from.env, to.env];
    server = await serve(source);
    user = await signUp(server.base);
    doors = targetOf(server.base, ports.grpc, await user.token(['telemetry:ingest']));
    await flagsOf(user).create('split');
    await flagsOf(user).serve('split', { fallthrough: { rollout: { weights: half } } });
    key = await user.sdkKey();
  });
  afterAll(async () => {
    doors?.grpc.close();
    await server?.end('SIGKILL');
    for (const engine of engines ?? []) await engine.end('SIGKILL');
    await postgres?.close();
    for (const folder of Object.values(folders)) folder.remove();
  });

  async function variants(): Promise<string[]> {
    const sdk = testClient(server.base, { bearer: key });
    const answers = Array.from({ length: 50 }, (_, n) =>
      sdk.post('/ofrep/v1/evaluate/flags/split', { context: { targetingKey: `user-${n}` } }),
    );
    return (await Promise.all(answers)).map(({ text }) => text);
  }

  const list = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);
  const partials = () => list(folders.backups.path).filter((name) => name.endsWith('.partial'));
  const complete = () => list(folders.backups.path).filter((name) => !name.endsWith('.partial'));
  const backUp = ['backup', folders.backups.path, '--data', folders.one.path];
  const restore = (path: string, env: Readonly<Record<string, string>>) =>
    runProcess(['restore', path, '--data', join(folders.two.path, 'none')], { FANION_SECRET_KEY: secretKey, ...env });

  it('has everything that was stored before it began exactly once, while ingest goes on, and servers start on it', async () => {
    const pushing = push(() => doors, { acknowledged, times });
    await until(async () => acknowledged.size > 200, 60_000);
    await pushing.stop();
    await drained(server.base, folders.one.path, 120_000);
    const before = new Map(acknowledged);
    const more = push(() => doors, { acknowledged, times });
    const taken = await runProcess(backUp, {});
    expect(taken.code, taken.output).toBe(0);
    expect(taken.output).toContain('What waits in the write-ahead logs of the servers is not included');
    const notOfOneMoment = /Of the telemetry that was stored between \S+ and \S+ a part may be in it/;
    expect(taken.output).toMatch(notOfOneMoment);
    await more.stop();
    const served = await variants();
    const [name = ''] = complete();
    const path = join(folders.backups.path, name);

    const inUse = await restore(path, source);
    expect(inUse).toMatchObject({ code: 1, output: expect.stringContaining('the target is not empty') });
    const wrong = await restore(path, { ...target, FANION_SECRET_KEY: 'another-secret-key-of-no-server-at-all' });
    expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining('FANION_SECRET_KEY is another key') });
    const killed = startProcess(['restore', path], {
      FANION_SECRET_KEY: secretKey,
      ...target,
      ...killedAt('copying: '),
    });
    const [, signal] = await once(killed.child, 'close');
    expect(signal, killed.output()).toBe('SIGKILL');
    await server.end('SIGTERM');
    await expect(serve(target, folders.two.path)).rejects.toThrow('is not complete');
    const done = await restore(path, target);
    expect(done.code, done.output).toBe(0);
    expect(done.output).toContain('restored');
    expect(done.output).toMatch(notOfOneMoment);
    expect(done.output).not.toContain('Not compared');
    server = await serve(target, folders.two.path);
    expect(await variants()).toEqual(served);
    const me = await testClient(server.base, { cookie: user.cookie }).get('/api/v1/auth/me');
    expect(me.status, me.text).toBe(200);
    const audited = await testClient(server.base, { cookie: user.cookie }).get('/api/v1/audit?action=restore');
    expect(audited.data).toMatchObject([
      { action: 'restore.complete', resource: { id: name }, after: { taken_by: expect.stringContaining('run by') } },
    ]);
    await server.end('SIGTERM');
    const tally = await compareWith(target.CLICKHOUSE_URL, before);
    console.log(tallyText(tally));
    // Of batches that arrived meanwhile, some of whose rows are of other days, a part may be there.
    expect([tally.lost, tally.wrong]).toEqual([[], []]);
    server = await serve(source);
  }, 400_000);

  it('is taken by a command where no server runs on the data directory, and not of a cluster', async () => {
    const before = complete().length;
    const taken = await runProcess(['backup', folders.backups.path, '--data', folders.two.path], source);
    expect(taken.code, taken.output).toBe(0);
    expect(complete()).toHaveLength(before + 1);
    const cluster = { ...source, CLICKHOUSE_CLUSTER: 'shards' };
    expect(await runProcess(['backup', folders.backups.path, '--data', folders.two.path], cluster)).toMatchObject({
      code: 1,
      output: expect.stringContaining('does not read a cluster'),
    });
  }, 120_000);

  it.each(['command', 'server'] as const)(
    'whose %s is killed leaves nothing that the next one keeps',
    async (who) => {
      const before = complete();
      const { child, end } = startProcess(backUp, {});
      await until(async () => partials().length > 0, 60_000);
      if (who === 'command') await end('SIGKILL');
      else {
        await server.end('SIGKILL');
        if (child.exitCode === null) await once(child, 'exit');
        server = await serve(source);
      }
      // A complete one if the kill came too late.
      await until(async () => who === 'server' || partials().length === 0, 60_000);
      const next = await runProcess(backUp, {});
      expect(next.code, next.output).toBe(0);
      expect(partials()).toEqual([]);
      expect(complete().length).toBeGreaterThan(before.length);
      const newest = join(folders.backups.path, complete().sort().at(-1) ?? '');
      expect((await runProcess(['restore', '--verify', newest], {})).code).toBe(0);
    },
    120_000,
  );

  it('of one store that is external has the rows of both, for new stores in a data directory', async () => {
    const { connection } = await postgres.fresh();
    const { host, port, database } = connection;
    const control = { DATABASE_URL: `postgres://postgres@/${database}?host=${encodeURIComponent(host)}&port=${port}` };
    const half = await serveProcess(folders.half.path, await freePort(), {
      ...{ FANION_SECRET_KEY: secretKey, FANION_OTLP_GRPC_PORT: '0', FANION_OTLP_HTTP_PORT: '0' },
      ...control,
    });
    await signUp(half.base);
    const before = new Set(complete());
    const running = await runProcess(['backup', folders.backups.path, '--data', folders.half.path], {});
    expect(running.code, running.output).toBe(0);
    await half.end('SIGTERM');
    const stopped = await runProcess(['backup', folders.backups.path, '--data', folders.half.path], control);
    expect(stopped.code, stopped.output).toBe(0);
    const [name = '', ...others] = complete().filter((one) => !before.has(one));
    expect(others).toHaveLength(1);
    const path = join(folders.backups.path, name);
    const dataDir = join(folders.half.path, 'restored');
    const done = await runProcess(['restore', path, '--data', dataDir], {});
    expect(done.code, done.output).toBe(0);
    expect(readdirSync(dataDir)).toEqual(expect.arrayContaining(['control', 'telemetry']));
  }, 180_000);

  it('is taken by schedule, once among servers, and each knows of it', async () => {
    await server.end('SIGTERM');
    const schedule = { FANION_BACKUP_DIR: folders.scheduled.path, FANION_BACKUP_HOURS: '1' };
    server = await serve(source, folders.one.path, schedule);
    const other = await serveProcess(folders.two.path, await freePort(), {
      ...{ FANION_SECRET_KEY: secretKey, FANION_OTLP_GRPC_PORT: '0', FANION_OTLP_HTTP_PORT: '0' },
      ...source,
      ...schedule,
    });
    try {
      const newest = async (base: string) =>
        (await ownMetrics(base)).get('fanion_backup_last_success_timestamp_seconds');
      await until(async () => Number(await newest(server.base)) > 0 && Number(await newest(other.base)) > 0, 60_000);
      await delay(2_000);
      const names = readdirSync(folders.scheduled.path).filter((name) => !name.endsWith('.partial'));
      expect(names).toHaveLength(1);
      const manifest = JSON.parse(readFileSync(join(folders.scheduled.path, names[0] ?? '', 'manifest.json'), 'utf8'));
      expect(manifest).toMatchObject({ format: 2, workspaces: 1, secretKey: 'FANION_SECRET_KEY', by: 'the schedule' });
    } finally {
      await other.end('SIGTERM');
    }
  }, 180_000);
});
