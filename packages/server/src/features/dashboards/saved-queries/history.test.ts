import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../../platform/log.ts';
import { startTestPglite, type TestStore } from '../../../testing/test-database.ts';
import { testControlPlane } from '../../testing/control-plane.ts';
import { createQueryHistory } from './history.ts';
import { outcomeOf, storable } from './rules.ts';
import { listRuns, pruneRuns } from './runs-store.ts';

describe('the query history', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await startTestPglite();
  });
  afterAll(() => store?.close());

  it('never fails a query when the control plane is down, and catches up later', async () => {
    const { db } = store;
    const plane = testControlPlane(db);
    const { workspace, caller } = await plane.addTenant('history');
    let away = true;
    // The control plane rejects inserts while it is down.
    const flaky = new Proxy(db, {
      get: (target, name) => {
        if (name === 'insertInto' && away) throw new Error('away');
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const history = createQueryHistory({ db: flaky, clock: plane.clock, log: createLog('silent') });
    const narrowed = { project: undefined, environment: undefined };
    const fact = { workspace, narrowed, caller, query: 'logs \0 | limit 1', signal: new AbortController().signal };
    const answer = { data: { rows: [[1]] }, meta: { rows_read: 5, truncated: true } };
    expect(await history.observe(fact, async () => answer)).toBe(answer);
    await history.flush();
    const filter = {
      userId: caller.user.id,
      tokenId: undefined,
      projectId: undefined,
      environment: undefined,
      status: undefined,
      search: undefined,
    };
    const all = { after: undefined, limit: 10 };
    expect(await listRuns(db, workspace.id, filter, all)).toEqual([]);
    away = false;
    await expect(
      history.observe(fact, async () => {
        throw new Error('the query failed');
      }),
    ).rejects.toThrow('the query failed');
    await history.stop();
    const rows = await listRuns(db, workspace.id, filter, all);
    expect(rows.map(({ status, rows_read, query }) => [status, rows_read, query])).toEqual([
      ['failed', 0, 'logs \uFFFD | limit 1'],
      ['ok', 5, 'logs \uFFFD | limit 1'],
    ]);
  });

  it('is bounded by age and by number', async () => {
    const { db } = store;
    const plane = testControlPlane(db);
    const { workspace, caller } = await plane.addTenant('bounded');
    const history = createQueryHistory({ db, clock: plane.clock, log: createLog('silent') });
    const narrowed = { project: undefined, environment: undefined };
    const signal = new AbortController().signal;
    for (let n = 0; n < 6; n++) {
      plane.clock.ms += 1000;
      const fact = { workspace, narrowed, caller, query: `logs | limit ${n}`, signal };
      await history.observe(fact, async () => ({ data: { rows: [] }, meta: {} }));
    }
    await history.stop();
    await pruneRuns(db, new Date(plane.clock.ms - 3500), 3);
    const everybody = {
      userId: undefined,
      tokenId: undefined,
      projectId: undefined,
      environment: undefined,
      status: undefined,
      search: undefined,
    };
    const left = await listRuns(db, workspace.id, everybody, { after: undefined, limit: 10 });
    expect(left.map(({ query }) => query)).toEqual(['logs | limit 5', 'logs | limit 4', 'logs | limit 3']);
  });
});

describe('the outcome of a run', () => {
  it.each([
    ['well', undefined, false, false, { status: 'ok', error: null }],
    ['with an error of ours', { code: 'SVC-5001' }, true, false, { status: 'failed', error: 'SVC-5001' }],
    ['with any other', undefined, true, false, { status: 'failed', error: 'SVC-1000' }],
    ['by its client', { code: 'SVC-1010' }, true, true, { status: 'cancelled', error: null }],
  ] as const)('%s', (_name, error, failed, aborted, outcome) => {
    expect(outcomeOf(error, failed, aborted)).toEqual(outcome);
  });
  it('contains only text that PostgreSQL can store', () => {
    expect(storable('a\0b\uD800c😀')).toBe('a\uFFFDb\uFFFDc😀');
  });
});
