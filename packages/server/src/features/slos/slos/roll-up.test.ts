import type { SloIndicator } from '@fanion/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findResource } from '../../identity/resources/index.ts';
import { type Tenant, testOrigin } from '../../testing/control-plane.ts';
import { listMinutes, type Minute, type Range } from '../budget/index.ts';
import { type SloWorld, startSloWorld } from '../testing/world.ts';
import { countIndicator } from './counts-store.ts';
import { backfillDue, countedSlo, deriveDue, scopeOfSlo } from './derive.ts';
import { recountLate } from './recount.ts';
import * as service from './service.ts';
import { readStatus } from './status.ts';
import { listWaiting, type SloRow } from './store.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

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

const events: SloIndicator = {
  kind: 'events',
  source: 'spans | where service.name == "checkout"',
  good: 'status != error',
};
const slices: SloIndicator = {
  kind: 'slices',
  query: 'spans | where service.name == "checkout" | stats value=ratio(status == error)',
  op: '<',
  threshold: 0.5,
  slice: '5m',
};
const ratio: SloIndicator = {
  kind: 'ratio',
  good: 'spans | where service.name == "checkout" and status != error | count',
  total: 'spans | where service.name == "checkout" | stats all=count()',
};

function create(indicator: SloIndicator): Promise<SloRow> {
  const place = { workspace: ada.workspace, project: ada.project, environment: undefined };
  const input = {
    name: 'slo',
    description: '',
    indicator,
    objective: 0.9,
    window: { kind: 'rolling', period: '7d' } as const,
    burn_alerts: false,
    min_events: 1,
  };
  return service.create(world.dependencies, request(), place, input);
}
const request = () => ({ ...ada, origin: testOrigin, signal: world.signal });
const found = (slo: SloRow) => findResource(world.db, service.resource, ada.workspace.id, slo.id);
const stored = (slo: SloRow, range: Range) =>
  listMinutes(world.gateway.lane('background'), countedSlo(slo), range, world.signal);
const raw = (slo: SloRow, range: Range) =>
  countIndicator(world.dependencies, scopeOfSlo(slo), slo.definition.indicator, range, {
    lane: 'background',
    signal: world.signal,
  });
const sum = (minutes: readonly Minute[]) =>
  minutes.reduce((all, { good, total }) => ({ good: all.good + good, total: all.total + total }), {
    good: 0,
    total: 0,
  });
const status = async (slo: SloRow) =>
  readStatus(world.gateway.lane('interactive'), await found(slo), world.plane.clock.ms, world.signal);

describe.each([
  ['events', events],
  ['ratio', ratio],
  ['slices', slices],
])('the roll-up of %s', (_name, indicator) => {
  it('agrees exactly with what raw telemetry answers', async () => {
    const spans = Array.from({ length: 400 }, (_, i) => ({
      ms: noon - ((i * 7_919_111) % (3 * day)) - minute,
      failed: i % 3 === 0,
      ...(i % 5 === 0 && { service: 'other' }),
    }));
    await world.addSpans(ada, spans);
    const slo = await create(indicator);
    await backfillDue(world.dependencies, world.run());
    await deriveDue(world.dependencies, world.run());
    const range = { fromMs: noon - 4 * day, toMs: noon };
    const rolledUp = (await stored(slo, range)).filter(({ total }) => total > 0);
    expect(rolledUp).toEqual(await raw(slo, range));
    const { good, total, attainment, backfill } = await status(slo);
    expect({ good, total }).toEqual(sum(rolledUp));
    expect(attainment).toBe(good / total);
    expect(backfill).toEqual({ state: 'done', progress: 1, error: null });
  });
});

describe('the roll-up', () => {
  it('counts late events of the last 15 minutes, and the highest version wins', async () => {
    await world.addSpans(ada, [{ ms: noon - 10 * minute }]);
    const slo = await create(events);
    await backfillDue(world.dependencies, world.run());
    await world.addSpans(ada, [
      { ms: noon - 10 * minute + 1, failed: true },
      { ms: noon - 5 * minute, failed: true },
      { ms: noon + 5_000 },
    ]);
    world.plane.clock.ms = noon + 30_000;
    await deriveDue(world.dependencies, world.run());
    expect(await status(slo)).toMatchObject({ good: 2, total: 4 });
    const before = await stored(slo, { fromMs: noon - hour, toMs: noon + hour });
    await deriveDue(world.dependencies, world.run());
    expect(await stored(slo, { fromMs: noon - hour, toMs: noon + hour })).toEqual(before);
    const { rows } = await world.store.query(
      'SELECT count() FROM slo_minutes WHERE workspace = {workspace:UInt32} AND slo = {slo:UUID}',
      { params: { workspace: ada.workspace.number, slo: slo.id } },
    );
    // What has not changed is not written again: the first minute twice, the others once.
    expect(Number(rows[0]?.[0])).toBeLessThanOrEqual(4);
  });

  it('counts events that arrive hours or days late, and keeps what was counted of expired ones', async () => {
    await world.addSpans(ada, [{ ms: noon - 5 * hour }, { ms: noon - 3 * day }, { ms: noon - 4 * day }]);
    const slo = await create(events);
    await backfillDue(world.dependencies, world.run());
    await world.addSpans(ada, [
      { ms: noon - 5 * hour + 1, failed: true },
      { ms: noon - 3 * day, failed: true },
    ]);
    await world.store.command(
      `ALTER TABLE spans DELETE WHERE workspace = ${ada.workspace.number} AND time < toDateTime(${(noon - 3.5 * day) / 1_000}) SETTINGS mutations_sync = 1`,
    );
    await deriveDue(world.dependencies, world.run());
    expect(await status(slo)).toMatchObject({ good: 3, total: 3 });
    await recountLate(world.dependencies, world.run(), 12 * hour);
    expect(await status(slo)).toMatchObject({ good: 3, total: 4 });
    await recountLate(world.dependencies, world.run(), 7 * day);
    expect(await status(slo)).toMatchObject({ good: 3, total: 5 });
    const before = await stored(slo, { fromMs: noon - 8 * day, toMs: noon });
    await recountLate(world.dependencies, world.run(), 7 * day);
    expect(await stored(slo, { fromMs: noon - 8 * day, toMs: noon })).toEqual(before);
  });

  it('counts first what has waited longest, and last what fails', async () => {
    const [a, b, c] = [await create(events), await create(events), await create(events)];
    const set = (id: string, values: { derived_to: Date; last_error?: string }) =>
      world.db.updateTable('slos').set(values).where('id', '=', id).execute();
    await set(a.id, { derived_to: new Date(noon - minute) });
    await set(b.id, { derived_to: new Date(noon - 2 * minute) });
    await set(c.id, { derived_to: new Date(noon - 3 * minute), last_error: 'fails' });
    const own = [a.id, b.id, c.id];
    expect((await listWaiting(world.db)).filter((id) => own.includes(id))).toEqual([b.id, a.id, c.id]);
    // Other tests count how often their own back-fill commits.
    await world.db.deleteFrom('slos').where('id', 'in', own).execute();
  });

  it('continues after a back-fill was interrupted, and has its progress', async () => {
    await world.addSpans(
      ada,
      [0, 1, 2].map((days) => ({ ms: noon - days * day - minute })),
    );
    const slo = await create(events);
    let commits = 0;
    const dying = world.run(async (effects) => {
      if (commits === 2) throw new Error('killed');
      commits++;
      return world.db.transaction().execute(effects);
    });
    await expect(backfillDue(world.dependencies, dying)).rejects.toThrow('killed');
    const half = await status(slo);
    expect(half.backfill.state).toBe('running');
    expect(half.backfill.progress).toBeGreaterThan(0);
    await backfillDue(world.dependencies, world.run());
    expect(await status(slo)).toMatchObject({ good: 3, total: 3, backfill: { state: 'done', progress: 1 } });
  });

  it('counts from the start when the indicator changes, and only then', async () => {
    await world.addSpans(ada, [
      { ms: noon - minute },
      { ms: noon - 2 * minute, failed: true },
      { ms: noon - day, service: 'other' },
    ]);
    const slo = await create(events);
    await backfillDue(world.dependencies, world.run());
    const replace = (version: number, changes: object) =>
      service.replace(world.dependencies, request(), slo.id, { ...slo.definition, name: 'slo', version, ...changes });
    expect((await replace(1, { objective: 0.8 })).revision).toBe(1);
    expect(await status(slo)).toMatchObject({ total: 2, backfill: { state: 'done' } });
    const changed = await replace(2, { indicator: { ...events, source: 'spans | where service.name == "other"' } });
    expect(changed.revision).toBe(2);
    expect(await status(slo)).toMatchObject({ total: 0, attainment: null, backfill: { state: 'running' } });
    await backfillDue(world.dependencies, world.run());
    await deriveDue(world.dependencies, world.run());
    expect(await status(slo)).toMatchObject({ total: 1, good: 1 });
  });

  it('keeps to its project and workspace', async () => {
    const eve = await world.plane.addTenant('eve');
    await world.addSpans(eve, [{ ms: noon - minute }]);
    const slo = await create(events);
    await backfillDue(world.dependencies, world.run());
    expect(await status(slo)).toMatchObject({ total: 0, attainment: null });
    const counted = { ...countedSlo(slo), scope: { ...scopeOfSlo(slo), workspace: eve.workspace.number } };
    expect(
      await listMinutes(world.gateway.lane('background'), counted, { fromMs: 0, toMs: noon }, world.signal),
    ).toEqual([]);
  });

  it('leaves slices without events out, and reports how much time was not measured', async () => {
    await world.addSpans(ada, [{ ms: noon - 61 * minute }, { ms: noon - 41 * minute, failed: true }]);
    const slo = await create(slices);
    await backfillDue(world.dependencies, world.run());
    const { good, total, unmeasured } = await status(slo);
    expect({ good, total }).toEqual({ good: 1, total: 2 });
    expect(unmeasured.seconds).toBe((7 * day - 2 * 5 * minute) / 1_000);
  });
});
