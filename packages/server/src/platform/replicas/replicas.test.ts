import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, type TestStore, testStores } from '../../testing/test-database.ts';
import { newId } from '../ids.ts';
import { createLog } from '../log.ts';
import { joinReplicas, type Membership, type Replica, ReplicaRefused, replicaId, sameClock } from './index.ts';
import { conflictWith, storedToOf } from './rules.ts';

const log = createLog('silent');
const replica = (telemetryStore: Replica['telemetryStore']): Replica => ({
  id: newId(),
  roles: 'api,ingest,flags,jobs',
  telemetryStore,
  version: '0.1.0',
});

describe.each(testStores)('replicas on %s', (_name, start) => {
  let store: TestStore;
  let database: TestDatabase;
  const joined: Membership[] = [];

  beforeAll(async () => {
    store = await start();
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    database = await store.fresh();
  });
  afterEach(async () => {
    for (const membership of joined.splice(0)) await membership.leave();
    await database.close();
  });

  const join = async (who: Replica) => {
    const membership = await joinReplicas({ db: database.db, replica: who, log, clockGuard: sameClock });
    joined.push(membership);
    return membership;
  };

  it('admits several that share a telemetry store', async () => {
    const first = await join(replica('external'));
    await join(replica('external'));
    expect(await first.live()).toHaveLength(2);
  });

  it('rejects a second one without CLICKHOUSE_URL, with an explanation', async () => {
    await join(replica('external'));
    const second = join(replica('embedded'));
    await expect(second).rejects.toBeInstanceOf(ReplicaRefused);
    await expect(second).rejects.toThrow(/^CLICKHOUSE_URL is not set, and server .* uses this control plane/);
  });

  it('rejects a server that would join one with an embedded telemetry store', async () => {
    await join(replica('embedded'));
    await expect(join(replica('external'))).rejects.toThrow(/was started without CLICKHOUSE_URL/);
  });

  it('admits only one of two that start at the same moment', async () => {
    const outcomes = await Promise.allSettled([join(replica('embedded')), join(replica('embedded'))]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('recognizes a killed server that restarts from the same data directory', async () => {
    const me = replica('embedded');
    await join(me);
    await expect(join(me)).resolves.toBeDefined();
  });

  it('treats a server that was silent for long as gone', async () => {
    await join(replica('embedded'));
    await sql`UPDATE replicas SET seen_at = seen_at - interval '31 seconds'`.execute(database.db);
    const membership = await join(replica('embedded'));
    expect(await membership.live()).toHaveLength(1);
  });

  it('makes room at once when it leaves', async () => {
    const first = await joinReplicas({ db: database.db, replica: replica('embedded'), log, clockGuard: sameClock });
    await first.leave();
    await expect(join(replica('embedded'))).resolves.toBeDefined();
  });
});

describe('what can be queried', () => {
  const at = (seconds: number) => new Date(seconds * 1_000);

  it.each([
    ['by this server alone', [], { running: 100_000, all: 100_000 }],
    ['by the one that has stored least', [{ storedTo: at(95), silentSeconds: 3 }], { running: 95_000, all: 95_000 }],
    ['not by one that has not said yet', [{ storedTo: null, silentSeconds: 3 }], { running: 100_000, all: 100_000 }],
    ['by one that ended lately', [{ storedTo: at(40), silentSeconds: 60 }], { running: 100_000, all: 40_000 }],
    ['not by one that ended long ago', [{ storedTo: at(1), silentSeconds: 601 }], { running: 100_000, all: 100_000 }],
  ])('is decided %s', (_name, others, expected) => {
    expect(storedToOf(100_000, others)).toEqual(expected);
  });
});

describe('the rule', () => {
  it('ignores its own row and stale rows', () => {
    const me = replica('embedded');
    const seen = { ...replica('embedded'), startedAt: new Date(), storedTo: null, silentSeconds: 31 };
    expect(conflictWith(me, [{ ...seen, id: me.id, silentSeconds: 0 }, seen])).toBeUndefined();
    expect(conflictWith(me, [{ ...seen, silentSeconds: 30 }])).toContain('CLICKHOUSE_URL');
  });
});

describe('the id of a data directory', () => {
  it('is made once', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'fanion-replica-'));
    const first = await replicaId(dir);
    expect(await replicaId(dir)).toBe(first);
    await rm(dir, { recursive: true });
  });
});
