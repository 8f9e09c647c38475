import { once } from 'node:events';
import { existsSync, renameSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClickHouse } from '../../packages/server/src/platform/clickhouse/index.ts';
import { layInitialStores } from '../../packages/server/src/testing/initial-stores.ts';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { startOwnPostgres, type TestStore } from '../../packages/server/src/testing/test-database.ts';
import { flagsOf, half } from '../flags/support.ts';
import { freePort, runProcess, type ServerProcess, serveProcess, startProcess } from '../support/server-process.ts';
import { type Endpoint, endpoints, itemsOfBatch, type Target, targetOf } from './support/endpoints.ts';
import { killedAt, ownMetrics } from './support/processes.ts';
import {
  compareWith,
  compareWithDirectory,
  drained,
  freshDirectory,
  type Pushing,
  push,
  tallyText,
} from './support/stored.ts';

const dayMs = 86_400_000;

/** The first batches span three days, so that there are several partitions of each table. */
function times(batch: number): number[] {
  const now = Date.now() - 1000;
  return Array.from({ length: itemsOfBatch }, (_, i) => now - (batch < 24 ? (i % 3) * dayMs : i));
}

/** One of each signal, at a rate that leaves processor time for the move. */
const paced = [0, 3, 5, 7]
  .flatMap((index) => endpoints[index] ?? [])
  .map(
    (endpoint): Endpoint => ({
      ...endpoint,
      async send(...given) {
        const [isAcknowledged] = await Promise.all([endpoint.send(...given), delay(50)]);
        return isAcknowledged;
      },
    }),
  );

describe('a move of a running server to PostgreSQL and ClickHouse', () => {
  const data = freshDirectory('moved');
  const stores = freshDirectory('target');
  const acknowledged = new Map();
  let postgres: TestStore;
  let telemetry: ReturnType<typeof startProcess>;
  let env: { DATABASE_URL: string; CLICKHOUSE_URL: string };
  let ports: { http: number; grpc: number; clickhouse: number };
  let server: ServerProcess;
  let user: SignedUp;
  let key: string;
  let target: Target;
  let served: string[];
  let pushing: Pushing | undefined;

  const serve = (more: Readonly<Record<string, string>> = {}) =>
    serveProcess(data.path, ports.http, {
      ...{ FANION_OTLP_GRPC_PORT: String(ports.grpc), FANION_RETENTION_DAYS: '90' },
      ...more,
    });
  const serveMoved = () => serve({ ...env, FANION_SECRET_KEY_FILE: join(data.path, 'secret.key') });

  /** The ClickHouse of the target. */
  async function startTelemetry(): Promise<void> {
    const args = ['stores', '--clickhouse', '--data', stores.path, '--port', String(ports.clickhouse)];
    telemetry = startProcess([...args, '--password', 'secret'], {});
    await until(async () => telemetry.output().includes('CLICKHOUSE_URL'), 60_000);
  }

  beforeAll(async () => {
    ports = { http: await freePort(), grpc: await freePort(), clickhouse: await freePort() };
    await layInitialStores(stores.path, { DATABASE_URL: 'another' });
    [postgres] = await Promise.all([startOwnPostgres(), startTelemetry()]);
    const { host, port, database } = (await postgres.fresh()).connection;
    env = {
      DATABASE_URL: `postgres://postgres@/${database}?host=${encodeURIComponent(host)}&port=${port}`,
      CLICKHOUSE_URL: `http://default:secret@127.0.0.1:${ports.clickhouse}`,
    };
    server = await serve();
    user = await signUp(server.base);
    target = targetOf(server.base, ports.grpc, await user.token(['telemetry:ingest']));
    await flagsOf(user).create('split');
    await flagsOf(user).serve('split', { fallthrough: { rollout: { weights: half } } });
    key = await user.sdkKey();
    served = await variants();
  });
  afterAll(async () => {
    await pushing?.stop();
    target?.grpc.close();
    await server?.end('SIGKILL');
    await telemetry?.end('SIGKILL');
    await postgres?.close();
    for (const directory of [data, stores]) directory.remove();
  });

  const moveArguments = (to: Partial<typeof env> = {}) => {
    const { DATABASE_URL, CLICKHOUSE_URL } = { ...env, ...to };
    return ['move', '--to-database', DATABASE_URL, '--to-clickhouse', CLICKHOUSE_URL, '--data', data.path];
  };
  const move = (to: Partial<typeof env> = {}) => runProcess(moveArguments(to));

  /** A move that kills itself when it begins a phase: a signal from here may come after the switch. */
  async function killMoveAt(phase: string): Promise<void> {
    const { child, output } = startProcess(moveArguments(), killedAt(phase));
    const [, signal] = await once(child, 'close');
    expect(signal, output()).toBe('SIGKILL');
  }

  /** The variants of many users. */
  async function variants(): Promise<string[]> {
    const sdk = testClient(server.base, { bearer: key });
    const answers = Array.from({ length: 50 }, (_, n) =>
      sdk.post('/ofrep/v1/evaluate/flags/split', { context: { targetingKey: `user-${n}` } }),
    );
    return (await Promise.all(answers)).map(({ text }) => text);
  }

  async function signedIn(): Promise<number> {
    return (await testClient(server.base, { cookie: user.cookie }).get('/api/v1/auth/me')).status;
  }

  /** What the audit log says of moves, oldest first. */
  async function audited() {
    const { data } = await testClient(server.base, { cookie: user.cookie }).get('/api/v1/audit?action=move');
    return data.toReversed();
  }
  const actionsAudited = async () => (await audited()).map(({ action }: { action: string }) => action);

  const rowsStored = async () => (await ownMetrics(server.base)).get('fanion_ingest_rows_stored_total') ?? 0;

  it('is rejected for a wrong address or password, and changes nothing', async () => {
    const nowhere = 'postgres://postgres@127.0.0.1:1/fanion';
    expect(await move({ DATABASE_URL: nowhere })).toMatchObject({
      code: 1,
      output: expect.stringMatching(/PostgreSQL cannot be used: .*ECONNREFUSED/),
    });
    expect(await move({ CLICKHOUSE_URL: env.CLICKHOUSE_URL.replace('secret', 'wrong') })).toMatchObject({
      code: 1,
      output: expect.stringMatching(/ClickHouse cannot be used: .*Authentication failed/),
    });
    expect(await move({ CLICKHOUSE_URL: 'localhost' })).toMatchObject({ code: 2 });
    expect(await signedIn()).toBe(200);
    expect(await actionsAudited()).toEqual([]);
  });

  it('is rejected for a target that is not empty, or of a newer version', async () => {
    const store = createClickHouse({ url: env.CLICKHOUSE_URL, database: 'fanion' });
    await store.command(`INSERT INTO span_minutes (minute) VALUES (now())`);
    expect(await move()).toMatchObject({
      code: 1,
      output: expect.stringContaining('the target is not empty: the ClickHouse database fanion has 1 rows'),
    });
    await store.command('TRUNCATE TABLE span_minutes');
    await store.command(`INSERT INTO telemetry_migrations VALUES (9999, 'later', now64(3))`);
    expect(await move()).toMatchObject({
      code: 1,
      output: expect.stringContaining('the ClickHouse target has version 9999 of the schema'),
    });
    await store.command('DROP DATABASE fanion SYNC');
    await store.close();
    expect(existsSync(join(data.path, 'moved.json'))).toBe(false);
  });

  it.each(['copying', 'comparing', 'pausing', 'copying accounts and flags'])(
    'that is killed while %s leaves a server that answers and stores telemetry',
    async (phase) => {
      pushing ??= push(() => target, { acknowledged, times, endpoints: paced });
      await until(async () => (await rowsStored()) > 1_000, 60_000);
      await killMoveAt(phase);
      await until(async () => (await signedIn().catch(() => undefined)) === 200, 60_000);
      const before = await rowsStored();
      await until(async () => (await rowsStored()) > before, 60_000);
      expect((await actionsAudited()).at(-1)).toBe('move.start');
    },
    300_000,
  );

  it('fails when its target vanishes, or its server ends in the pause', async () => {
    const vanishing = startProcess(moveArguments(), {});
    await until(async () => vanishing.output().includes('copying'), 60_000);
    await telemetry.end('SIGKILL');
    const [code] = await once(vanishing.child, 'close');
    expect(code, vanishing.output()).toBe(1);
    expect((await audited()).at(-1)).toMatchObject({
      action: 'move.fail',
      after: { reason: expect.stringContaining('ECONN') },
    });
    await startTelemetry();

    const losing = startProcess(moveArguments(), {});
    await until(async () => losing.output().includes('pausing'), 60_000);
    await server.end('SIGKILL');
    const [ended] = await once(losing.child, 'close');
    expect(ended, losing.output()).toBe(1);
    server = await serve();
  }, 300_000);

  it('has moved everything once when it is run again, even if a kill followed the switch', async () => {
    // The server ends when the switch is made; the command is killed before it has finished the target.
    const last = startProcess(moveArguments(), {});
    server.child.once('exit', () => last.child.kill('SIGKILL'));
    await once(last.child, 'close');
    expect(last.child.signalCode, last.output()).toBe('SIGKILL');
    await expect(serve()).rejects.toThrow(/was moved at .*: set DATABASE_URL and CLICKHOUSE_URL/);
    await expect(serveMoved()).rejects.toThrow('is not complete: run fanion move again');
    expect(await move()).toMatchObject({ code: 0, output: expect.stringContaining('completed a move') });
    server = await serveMoved();
    const after = acknowledged.size;
    await until(async () => acknowledged.size > after + 50, 60_000);
    await pushing?.stop();
    await drained(server.base, data.path, 200_000);

    const tally = await compareWith(env.CLICKHOUSE_URL, acknowledged);
    console.log(tallyText(tally));
    expect([tally.lost, tally.wrong]).toEqual([[], []]);
    expect(await variants()).toEqual(served);
    expect(await signedIn()).toBe(200);
    expect((await actionsAudited()).filter((action: string) => action === 'move.complete')).toHaveLength(1);
    expect((await audited()).at(-1)).toMatchObject({
      action: 'move.complete',
      actor: { type: 'system', id: null, name: `fanion move, run by ${userInfo().username}` },
      before: { control: join(data.path, 'control'), telemetry: join(data.path, 'telemetry') },
      after: {
        control: expect.stringMatching(/^postgres:\/\//),
        telemetry: `http://127.0.0.1:${ports.clickhouse}`,
        telemetry_rows: expect.any(Number),
        control_rows: expect.any(Number),
      },
    });
    expect(await move()).toMatchObject({ code: 1, output: expect.stringContaining('was moved already') });
  }, 300_000);

  it('moves back into the data directory, with what was acknowledged meanwhile', async () => {
    const back = () => runProcess(['move', '--to-embedded', '--data', data.path], env);
    expect(await back()).toMatchObject({ code: 1, output: expect.stringContaining('out of the way first') });
    for (const store of ['control', 'telemetry']) renameSync(join(data.path, store), join(stores.path, `${store}Old`));
    expect(await back()).toMatchObject({ code: 1, output: expect.stringContaining('in use by process') });
    await server.end('SIGTERM');
    const done = await back();
    expect(done.code, done.output).toBe(0);
    await expect(serveMoved()).rejects.toThrow('was moved into a data directory');
    server = await serve();
    expect(await variants()).toEqual(served);
    expect(await signedIn()).toBe(200);
    expect((await actionsAudited()).slice(-3)).toEqual(['move.complete', 'move.start', 'move.complete']);
    expect((await audited()).at(-1).before.telemetry).toBe(`http://127.0.0.1:${ports.clickhouse}`);
    await server.end('SIGTERM');
    const tally = await compareWithDirectory(data.path, acknowledged);
    expect([tally.lost, tally.wrong]).toEqual([[], []]);
  }, 300_000);
});

describe.each([
  ['the telemetry alone', ['telemetry']],
  ['both stores', ['control', 'telemetry']],
] as const)('a move of %s', (_name, moved) => {
  const data = freshDirectory('audited');
  const stores = freshDirectory('audited-target');
  let postgres: TestStore;
  let telemetry: ReturnType<typeof startProcess>;
  let server: ServerProcess | undefined;

  afterAll(async () => {
    await server?.end('SIGKILL');
    await telemetry?.end('SIGKILL');
    await postgres?.close();
    for (const directory of [data, stores]) directory.remove();
  });

  it('is in the audit log of the control plane that is used afterwards, there and back', async () => {
    const ports = { http: await freePort(), clickhouse: await freePort() };
    await layInitialStores(stores.path, { DATABASE_URL: 'another' });
    const args = ['stores', '--clickhouse', '--data', stores.path, '--port', String(ports.clickhouse)];
    telemetry = startProcess([...args, '--password', 'secret'], {});
    postgres = await startOwnPostgres();
    const { host, port, database } = (await postgres.fresh()).connection;
    await until(async () => telemetry.output().includes('CLICKHOUSE_URL'), 60_000);
    const variables = {
      control: ['DATABASE_URL', `postgres://postgres@/${database}?host=${encodeURIComponent(host)}&port=${port}`],
      telemetry: ['CLICKHOUSE_URL', `http://default:secret@127.0.0.1:${ports.clickhouse}`],
    } as const;
    const places = {
      control: `postgres://${host}/${database}`,
      telemetry: `http://127.0.0.1:${ports.clickhouse}`,
    };
    const env = Object.fromEntries(moved.map((store) => variables[store]));
    const options = { control: '--to-database', telemetry: '--to-clickhouse' };
    server = await serveProcess(data.path, ports.http);
    const user = await signUp(server.base);
    const entries = async (base: string) => {
      const { data: found } = await testClient(base, { cookie: user.cookie }).get('/api/v1/audit?action=move');
      return found.toReversed().map(({ action, after }: { action: string; after: object }) => [action, after]);
    };
    const to = moved.flatMap((store) => [options[store], variables[store][1]]);
    const there = await runProcess(['move', ...to, '--data', data.path]);
    expect(there.code, there.output).toBe(0);
    server = await serveProcess(data.path, ports.http, {
      ...env,
      FANION_SECRET_KEY_FILE: join(data.path, 'secret.key'),
    });
    const away = Object.fromEntries(moved.map((store) => [store, places[store]]));
    const rows = { telemetry_rows: expect.any(Number), control_rows: expect.any(Number) };
    const out = [
      ['move.start', away],
      ['move.complete', { ...away, ...rows }],
    ];
    expect(await entries(server.base)).toEqual(out);
    await server.end('SIGTERM');
    for (const store of moved) renameSync(join(data.path, store), join(stores.path, `${store}Old`));
    const back = await runProcess(['move', '--to-embedded', '--data', data.path], env);
    expect(back.code, back.output).toBe(0);
    server = await serveProcess(data.path, ports.http);
    const home = Object.fromEntries(moved.map((store) => [store, join(data.path, store)]));
    expect(await entries(server.base)).toEqual([...out, ['move.start', home], ['move.complete', { ...home, ...rows }]]);
  }, 300_000);
});
