import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  claimShards,
  ensureShards,
  holdsShard,
} from '../../packages/server/src/features/alerting/alert-rules/shards-store.ts';
import { createAccess } from '../../packages/server/src/features/identity/access/index.ts';
import { newId } from '../../packages/server/src/platform/ids.ts';
import { claimJobs, enqueueJob, finishJob } from '../../packages/server/src/platform/jobs/store.ts';
import type { Log } from '../../packages/server/src/platform/log.ts';
import { createClockGuard, joinReplicas } from '../../packages/server/src/platform/replicas/index.ts';
import { signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { startTestPostgres, type TestStore } from '../../packages/server/src/testing/test-database.ts';
import {
  type SharedTestServer,
  sharedTestServer,
  startTestServer,
  type TestServer,
} from '../../packages/server/src/testing/test-server.ts';

const HOUR = 3_600_000;

/** Two servers on one control plane, of which one is an hour ahead. docs/guides/reliability.md says the same. */
describe('clocks that are an hour apart', () => {
  let store: TestStore;
  const slow = Date.parse('2026-11-29T12:00:00Z');
  const fast = slow + HOUR;
  const leaseMs = 15_000;
  beforeAll(async () => {
    store = await startTestPostgres();
  });
  afterAll(() => store?.close());

  it('are a warning in the log of the server whose clock differs from that of the control plane, once', async () => {
    const said: object[] = [];
    const log = { warn: (what: object) => said.push(what), debug() {}, info() {}, error() {} } as unknown as Log; // only `warn` is looked at
    for (const aheadMs of [0, HOUR, -HOUR]) {
      const membership = await joinReplicas({
        db: store.db,
        replica: { id: newId(), roles: 'jobs', telemetryStore: 'external', version: '0.3.0' },
        log,
        clockGuard: createClockGuard({ clock: { now: () => Date.now() + aheadMs }, maxSkewMs: 2 * HOUR }),
      });
      await membership.leave();
    }
    expect(said.map((one) => 'aheadMs' in one && Math.round(Number(one.aheadMs) / 60_000))).toEqual([60, -60]);
  });

  it('let the fast server take a job that the slow one runs; only one of them finishes it', async () => {
    const { db } = store;
    const claim = (holder: string, now: number) =>
      claimJobs(db, { kinds: ['once'], holder, limit: 10, now: new Date(now), leaseMs });
    await enqueueJob(db, { kind: 'once', name: 'apart', payload: {}, runAt: new Date(slow) });
    const [ofSlow] = await claim('slow', slow);
    const [ofFast] = await claim('fast', fast);
    if (ofSlow === undefined || ofFast === undefined) throw new Error('one of the servers did not get the job');
    const finish = (job: typeof ofSlow, now: number) => finishJob(db, job, { nextRunAt: null, now: new Date(now) });
    expect([await finish(ofSlow, slow), await finish(ofFast, fast)]).toEqual([false, true]);
  });

  it('keep a job of a fast server that was killed from the slow one for an hour', async () => {
    const { db } = store;
    const claim = (holder: string, now: number) =>
      claimJobs(db, { kinds: ['once'], holder, limit: 10, now: new Date(now), leaseMs });
    await enqueueJob(db, { kind: 'once', name: 'killed', payload: {}, runAt: new Date(slow) });
    expect(await claim('fast', fast)).toHaveLength(1);
    expect(await claim('slow', slow + HOUR)).toEqual([]);
    expect(await claim('slow', slow + HOUR + leaseMs)).toHaveLength(1);
  });

  it('give all alert rules to the fast server, and refuse what the slow one still wants to write', async () => {
    const { db } = store;
    await ensureShards(db, 4);
    const claim = (holder: string, now: number) => claimShards(db, { holder, share: 4, now: new Date(now), leaseMs });
    const before = await claim('slow', slow);
    const after = await claim('fast', fast);
    expect([before.length, after.length]).toEqual([4, 4]);
    expect(await claim('slow', slow + 1_000)).toEqual([]);
    const held = (shards: typeof before) =>
      db.transaction().execute((trx) => Promise.all(shards.map(({ shard, epoch }) => holdsShard(trx, shard, epoch))));
    expect(await held(before)).toEqual([false, false, false, false]);
    expect(await held(after)).toEqual([true, true, true, true]);
  });
});

describe('a server on PostgreSQL whose clock is an hour ahead', () => {
  let store: TestStore;
  let server: TestServer;
  let aheadMs = HOUR;
  beforeAll(async () => {
    store = await startTestPostgres();
    const { host, port, database } = store.connection;
    server = await startTestServer({
      env: {
        DATABASE_URL: `postgres://postgres@/${database}?host=${encodeURIComponent(host)}&port=${port}`,
        FANION_SECRET_KEY: 'clocks that are an hour apart, 32 characters',
        FANION_LOG_LEVEL: 'silent',
      },
      clock: { now: () => Date.now() + aheadMs },
    });
  });
  afterAll(async () => {
    await server?.stop();
    await store?.close();
  });

  const ready = () => testClient(server.base).get('/readyz');
  const clockState = async () =>
    (await ready()).json.dependencies.find(({ name }: { name: string }) => name === 'clock');
  const holders = (table: 'jobs' | 'alert_shards') =>
    store.db.selectFrom(table).select('holder').where('holder', 'is not', null).execute();
  const jobsRun = () => store.db.selectFrom('jobs').select('name').where('last_run_at', 'is not', null).execute();

  it('takes no work and says so, and takes it when the clock is set right', async () => {
    const answer = await ready();
    expect([answer.status, answer.json.status]).toEqual([200, 'degraded']);
    expect(await clockState()).toEqual({
      name: 'clock',
      status: 'degraded',
      detail: '3600 s ahead of PostgreSQL: this server runs no jobs, alert rules and notifications',
    });
    const user = await signUp(server.base);
    const { data } = await user.get(`${user.workspace}/operations`);
    expect(data.operations.problems).toContainEqual(
      expect.objectContaining({ what: expect.stringContaining('The clock is degraded: 3600 s ahead of PostgreSQL') }),
    );
    const roles = async () => (await store.db.selectFrom('replicas').select('roles').execute()).map((row) => row.roles);
    // The others share all alert rules among themselves.
    expect(await roles()).toEqual(['api,ingest,flags']);
    expect([await holders('jobs'), await holders('alert_shards'), await jobsRun()]).toEqual([[], [], []]);
    aheadMs = 0;
    await until(async () => (await clockState()).status === 'up');
    await until(async () => (await holders('alert_shards')).length > 0);
    expect((await ready()).json.status).toBe('ok');
    // With the next heartbeat.
    await until(async () => (await roles())[0] === 'api,ingest,flags,jobs');
  });
});

describe('a session between servers whose clocks are an hour apart', () => {
  let server: SharedTestServer;
  beforeAll(async () => {
    server = await sharedTestServer();
  });
  afterAll(() => server?.stop());

  it('is valid on both, and ends on the fast one an hour earlier', async () => {
    const user = await signUp(server.base);
    expect((await testClient(server.base, { cookie: user.cookie }).get('/api/v1/auth/me')).status).toBe(200);
    const cookie = /svc_session=([^;]+)/.exec(user.cookie)?.[1] ?? '';
    const { expires_at: expiresAt } = await server.db
      .selectFrom('sessions')
      .select('expires_at')
      .where('user_id', '=', user.userId)
      .executeTakeFirstOrThrow();
    const isValid = (ms: number) =>
      createAccess({ db: server.db, clock: { now: () => ms } })
        .authenticate({ cookie, authorization: undefined, apiKey: undefined })
        .then(
          ({ kind }) => kind === 'session',
          () => false,
        );
    const now = Date.now();
    expect([await isValid(now - HOUR), await isValid(now + HOUR)]).toEqual([true, true]);
    // Nobody has used it for six days and 23 hours and a half: by the fast clock that is more than a week.
    const end = now + 7 * 24 * HOUR - HOUR / 2;
    expect(expiresAt.getTime()).toBeGreaterThan(end + HOUR);
    await server.db
      .updateTable('sessions')
      .set({ last_seen_at: new Date(now) })
      .where('user_id', '=', user.userId)
      .execute();
    expect([await isValid(end + HOUR), await isValid(end)]).toEqual([false, true]);
  });
});
