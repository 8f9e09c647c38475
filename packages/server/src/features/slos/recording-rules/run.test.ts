import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { promptArrivals } from '../../../platform/arrivals/testing/prompt-arrivals.ts';
import { type Tenant, testOrigin } from '../../testing/control-plane.ts';
import { type SloWorld, startSloWorld } from '../testing/world.ts';
import { backfillDue, writeDue } from './run.ts';
import * as service from './service.ts';
import { type RecordingRuleRow, recordingRules } from './store.ts';

const second = 1_000;
const minute = 60 * second;
const day = 86_400_000;

let world: SloWorld;
beforeAll(async () => {
  world = await startSloWorld();
});
afterAll(() => world?.close());

let ada: Tenant;
let noon: number;
beforeEach(async () => {
  ada = await world.plane.addTenant('ada');
  noon = Math.floor(Date.now() / day) * day - day / 2;
  world.plane.clock.ms = noon;
});

const input: service.RecordingRuleInput = {
  name: 'shop.requests',
  query: 'spans | stats value=count() by service.name',
  every: '1m',
  offset: '10s',
  labels: { team: 'shop' },
  unit: '1',
  group: 'default',
  position: 0,
  enabled: true,
};

function create(changes: Partial<service.RecordingRuleInput> = {}): Promise<RecordingRuleRow> {
  const place = { workspace: ada.workspace, project: ada.project, environment: undefined };
  return service.create(world.dependencies, request(), place, { ...input, ...changes });
}
const request = () => ({ ...ada, origin: testOrigin, signal: world.signal });
async function found({ id }: RecordingRuleRow): Promise<RecordingRuleRow> {
  const row = await recordingRules.find(world.db, ada.workspace.id, id);
  if (row === undefined) throw new Error(`the rule ${id} is gone`);
  return row;
}

/** The points of a metric as they are stored, copies included: minutes after noon, and value. */
async function points(metric = input.name): Promise<[number, number][]> {
  const { rows } = await world.store.query(
    'SELECT toFloat64(toUnixTimestamp64Milli(time)), value FROM metric_points WHERE workspace = {workspace:UInt32} AND metric = {metric:String} ORDER BY time',
    { params: { workspace: ada.workspace.number, metric } },
  );
  return rows.map(([at, value]) => [(Number(at) - noon) / minute, Number(value)]);
}
const pass = (ms: number) => {
  world.plane.clock.ms += ms;
};
/** A run that dies at its n-th commit. */
function dyingAt(count: number) {
  let commits = 0;
  return world.run(async (effects) => {
    commits++;
    if (commits === count) throw new Error('killed');
    return world.db.transaction().execute(effects);
  });
}

describe('a recording rule', () => {
  it('writes a point for each step and series when the offset is over', async () => {
    const rule = await create();
    await world.addSpans(ada, [
      { ms: noon + second },
      { ms: noon + 2 * second },
      { ms: noon + 3 * second, service: 'cart' },
    ]);
    pass(minute + 9 * second);
    await writeDue(world.dependencies, world.run());
    expect(await points()).toEqual([]);
    pass(second);
    await writeDue(world.dependencies, world.run());
    await writeDue(world.dependencies, world.run());
    expect((await points()).toSorted((a, b) => a[1] - b[1])).toEqual([
      [1, 1],
      [1, 2],
    ]);
    // Points in memory would not have these.
    expect(world.written).toContain('shop.requests');
    expect((await found(rule)).watermark.getTime()).toBe(noon + minute);
  });

  it('waits as long as what the rules of its group read takes to arrive, where it has no offset', async () => {
    const arrivals = {
      ...promptArrivals,
      lateMs: (_: number, signals: readonly string[]) => (signals.includes('traces') ? 20_000 : 100),
    };
    const late = { ...world.dependencies, arrivals };
    await create({ offset: null });
    const reader = await create({
      ...{ name: 'shop.total', query: 'metric shop.requests | stats value=sum(value)', offset: null, position: 1 },
    });
    await world.addSpans(ada, [{ ms: noon + second }]);
    pass(minute + 19 * second);
    await writeDue(late, world.run());
    expect(await points()).toEqual([]);
    expect(Number((await found(reader)).offset_ms)).toBe(20 * second);
    pass(second);
    await writeDue(late, world.run());
    expect(await points()).toEqual([[1, 1]]);
    expect((await found(reader)).watermark.getTime()).toBe(noon + minute);
  });

  it('waits until what was received is stored, and for a minute at most', async () => {
    let stored = noon;
    const arrivals = { ...promptArrivals, storedTo: () => ({ running: stored, all: stored }) };
    const late = { ...world.dependencies, arrivals };
    await create({ offset: null });
    await world.addSpans(ada, [{ ms: noon + second }]);
    pass(minute + 30 * second);
    await writeDue(late, world.run());
    expect(await points()).toEqual([]);
    stored = noon + minute + second;
    await writeDue(late, world.run());
    expect(await points()).toEqual([[1, 1]]);
    await world.addSpans(ada, [{ ms: noon + minute + second }]);
    pass(minute + 30 * second);
    await writeDue(late, world.run());
    expect(await points()).toHaveLength(1);
    pass(second);
    await writeDue(late, world.run());
    expect(await points()).toHaveLength(2);
  });

  it('makes an ordinary metric, which OQL reads by its labels', async () => {
    await create();
    await world.addSpans(ada, [{ ms: noon + second }, { ms: noon + 2 * second, service: 'cart' }]);
    pass(2 * minute);
    await writeDue(world.dependencies, world.run());
    const answer = await world.gateway.ask(
      { workspace: ada.workspace.number, project: ada.project.number, environment: undefined },
      {
        oql: 'metric shop.requests | stats n=max(value) by service.name, team',
        window: { fromNs: BigInt(noon) * 1_000_000n, toNs: BigInt(noon + 5 * minute) * 1_000_000n },
        limit: 10,
      },
      { lane: 'interactive', signal: world.signal },
    );
    expect(answer.rows.toSorted()).toEqual([
      ['cart', 'shop', 1],
      ['checkout', 'shop', 1],
    ]);
  });

  it.each([1, 2])('writes nothing twice when it is killed before commit %s', async (count) => {
    const rule = await create();
    await world.addSpans(
      ada,
      Array.from({ length: 12 }, (_, i) => ({ ms: noon + i * minute })),
    );
    pass(5 * minute + 10 * second);
    await expect(writeDue(world.dependencies, dyingAt(count))).rejects.toThrow('killed');
    // Late events of a step that was written do not change it, and more steps are due by now.
    await world.addSpans(ada, [{ ms: noon + 1 }]);
    pass(3 * minute);
    for (let i = 0; i < 4; i++) await writeDue(world.dependencies, world.run());
    const written = await points();
    expect(written.map(([at]) => at)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(written.slice(1).every(([, value]) => value === 1)).toBe(true);
    expect(await found(rule)).toMatchObject({ last_error: null, missed: 0 });
  });

  it('skips steps that are older than a day, and counts them', async () => {
    const rule = await create();
    pass(day + 10 * minute + 10 * second);
    await writeDue(world.dependencies, world.run());
    const row = await found(rule);
    expect(row.missed).toBe(10);
    // The step at the new watermark, and a range of 120 steps.
    expect(row.watermark.getTime()).toBe(noon + (10 + 1 + 120) * minute);
  });

  it('reports its error, and continues when its query can be answered', async () => {
    const rule = await create({ query: 'spans | stats value=count() by k=substring(name, 0, 2000)' });
    await world.db
      .updateTable('recording_rules')
      .set({ definition: JSON.stringify({ ...rule.definition, query: 'spans | wher' }) })
      .where('id', '=', rule.id)
      .execute();
    pass(2 * minute);
    await writeDue(world.dependencies, world.run());
    expect((await found(rule)).last_error).toMatch(/where/);
    await service.replace(world.dependencies, request(), rule.id, { ...input, version: 1 });
    await world.addSpans(ada, [{ ms: noon + second }]);
    await writeDue(world.dependencies, world.run());
    expect((await found(rule)).last_error).toBeNull();
    expect(await points()).toEqual([[1, 1]]);
  });

  it('begins a new revision at its watermark when it writes something else', async () => {
    const rule = await create();
    await world.addSpans(ada, [{ ms: noon + second }, { ms: noon + minute + second }]);
    pass(minute + 10 * second);
    await writeDue(world.dependencies, world.run());
    const query = 'spans | stats value=2*count()';
    const replaced = await service.replace(world.dependencies, request(), rule.id, { ...input, query, version: 1 });
    expect([replaced.revision, replaced.version]).toEqual([2, 2]);
    pass(minute);
    await writeDue(world.dependencies, world.run());
    expect(await points()).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  it('leaves out what another rule of the same name has written, and says so', async () => {
    const all = await create();
    const cart = await create({
      name: 'renamed',
      query: 'spans | where service.name == "cart" | stats value=10*count() by service.name',
      position: 1,
    });
    // Rules of earlier versions may share a metric.
    await world.db.updateTable('recording_rules').set({ name: all.name }).where('id', '=', cart.id).execute();
    const labelled = await create({ labels: { team: 'web' }, position: 2 });
    await world.addSpans(ada, [
      { ms: noon + second },
      { ms: noon + second, service: 'cart' },
      { ms: noon + minute + second, service: 'cart' },
    ]);
    for (let i = 0; i < 2; i++) {
      pass(minute + 10 * second);
      await writeDue(world.dependencies, world.run());
    }
    // Two series of the first rule and two with other labels; none of the second one.
    expect((await points()).map(([at, value]) => `${at} ${value}`).sort()).toEqual([
      '1 1',
      '1 1',
      '1 1',
      '1 1',
      '2 1',
      '2 1',
    ]);
    expect([(await found(all)).last_error, (await found(labelled)).last_error]).toEqual([null, null]);
    expect((await found(cart)).last_error).toMatch(/writes the same series: 1 point was left out/);
    expect((await found(cart)).watermark.getTime()).toBe(noon + 2 * minute);
  });

  it('of a group is run after those before it', async () => {
    await create({
      name: 'second',
      query: 'metric first | stats value=max(value)',
      position: 1,
      every: '1m',
      labels: {},
    });
    await create({ name: 'first', query: 'spans | stats value=count()', position: 0, labels: {} });
    await world.addSpans(ada, [{ ms: noon + second }, { ms: noon + minute + second }]);
    pass(2 * minute + 10 * second);
    for (let i = 0; i < 2; i++) await writeDue(world.dependencies, world.run());
    expect(await points('first')).toHaveLength(2);
    // The point of a step lies at its end, so it is in the next one.
    expect(await points('second')).toEqual([[2, 1]]);
  });
});

describe('a back-fill', () => {
  it('writes the past once, also after it was killed', async () => {
    await world.addSpans(ada, [{ ms: noon - 30 * minute }, { ms: noon - 200 * minute }, { ms: noon - 300 * minute }]);
    const rule = await create({ backfill_from: noon - 240 * minute });
    await expect(backfillDue(world.dependencies, dyingAt(2))).rejects.toThrow('killed');
    const half = await found(rule);
    expect(half.backfill_at?.getTime()).toBe(noon - 120 * minute);
    await backfillDue(world.dependencies, world.run());
    expect(await points()).toEqual([
      [-199, 1],
      [-29, 1],
    ]);
    expect((await found(rule)).backfill_at).toEqual((await found(rule)).backfill_from);
  });

  it('writes what is missing and nothing else', async () => {
    await world.addSpans(ada, [{ ms: noon - 30 * minute }]);
    const rule = await create({ backfill_from: noon - 60 * minute });
    await backfillDue(world.dependencies, world.run());
    await world.addSpans(ada, [{ ms: noon - 20 * minute }]);
    await world.db
      .updateTable('recording_rules')
      .set({ backfill_at: new Date(noon), revision: 2 })
      .where('id', '=', rule.id)
      .execute();
    await backfillDue(world.dependencies, world.run());
    expect(await points()).toEqual([
      [-29, 1],
      [-19, 1],
    ]);
  });
});
