import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseQuery, ruleSeries } from '../../telemetry/promql/index.ts';
import { type Tenant, testOrigin } from '../../testing/control-plane.ts';
import { type SloWorld, startSloWorld } from '../testing/world.ts';
import { backfillDue, writeDue } from './run.ts';
import * as service from './service.ts';

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
  name: 'job:calls:rate1m',
  query: 'sum by (service) (rate(traces_spanmetrics_calls_total[1m]))',
  query_language: 'promql',
  every: '1m',
  offset: '10s',
  labels: { team: 'shop' },
  unit: '',
  group: 'default',
  position: 0,
  enabled: true,
};
const request = () => ({ ...ada, origin: testOrigin, signal: world.signal });
const place = () => ({ workspace: ada.workspace, project: ada.project, environment: undefined });
const create = (changes: Partial<service.RecordingRuleInput> = {}) =>
  service.create(world.dependencies, request(), place(), { ...input, ...changes });

/** What an expression returns at a minute after noon. */
async function at(query: string, minutes: number) {
  const time = noon + minutes * minute;
  const question = { expression: parseQuery(query), start: time, end: time, step: 0 };
  const scope = { workspace: ada.workspace.number, project: ada.project.number, environment: undefined };
  const budget = { lane: 'interactive', signal: world.signal } as const;
  const series = ruleSeries(await world.dependencies.promql.evaluate(scope, question, budget));
  return series.map(({ labels, values }) => [labels, values[0]]);
}

async function passed(minutes: number) {
  world.plane.clock.ms = noon + minutes * minute + 20 * second;
  for (let i = 0; i < 3; i++) await writeDue(world.dependencies, world.run());
}

/** 12 spans of the checkout in the first and the second minute, and none after that; one per second of the cart. */
const addCalls = () =>
  world.addSpans(ada, [
    ...Array.from({ length: 24 }, (_, i) => ({ ms: noon + i * 5 * second })),
    ...Array.from({ length: 240 }, (_, i) => ({ ms: noon + i * second, service: 'cart' })),
  ]);

describe('a recording rule in PromQL', () => {
  it('writes what its expression returns at the end of each step, as Prometheus reads it back', async () => {
    await create({ query: `label_replace(${input.query}, "job", "shop/$1", "service", "(.*)")` });
    await addCalls();
    await passed(2);
    const [[labels, value] = []] = await at('job:calls:rate1m{job="shop/cart", team="shop"}', 2);
    expect(labels).toEqual({ job: 'shop/cart', service: 'cart', team: 'shop' });
    expect(value).toBeCloseTo(1);
  });

  it('is read by an expression and by OQL, in the order of the group', async () => {
    await create();
    await create({ name: 'calls:sum', query: 'sum(job:calls:rate1m)', position: 1, labels: {} });
    await create({
      ...{ name: 'shop.calls', query: 'metric "job:calls:rate1m" | stats value=sum(value) by service' },
      ...{ query_language: 'oql', position: 2 },
    });
    await addCalls();
    await passed(2);
    const [[, sum] = []] = await at('calls:sum', 2);
    expect(sum).toBeCloseTo(1.2, 1);
    expect(await at('count({"shop.calls"})', 2)).toEqual([[{}, 2]]);
  });

  it('ends a series at the first step without it', async () => {
    await create({ query: `${input.query} > 0` });
    await addCalls();
    await passed(5);
    expect(await at('count(job:calls:rate1m)', 2)).toEqual([[{}, 2]]);
    // Without a staleness marker it would be seen for five minutes.
    expect(await at('count(job:calls:rate1m)', 4)).toEqual([[{}, 1]]);
    expect(await at('last_over_time(job:calls:rate1m{service="checkout"}[5m])', 4)).toHaveLength(1);
  });

  it('writes the past', async () => {
    await addCalls();
    world.plane.clock.ms = noon + 30 * minute;
    await create({ backfill_from: noon });
    await backfillDue(world.dependencies, world.run());
    expect(await at('count_over_time(job:calls:rate1m{service="cart"}[10m])', 10)).toEqual([
      [{ service: 'cart', team: 'shop' }, expect.any(Number)],
    ]);
  });

  it('is shown before it is saved, for the step that is due', async () => {
    await addCalls();
    world.plane.clock.ms = noon + 2 * minute + 20 * second;
    const { steps } = await service.preview(world.dependencies, request(), place(), {
      ...input,
      query: '0 / 0 * time()',
    });
    expect(steps).toMatchObject([{ complete: true, series: 1, points: [{ labels: { team: 'shop' }, value: 'NaN' }] }]);
  });

  it.each([
    ['does not parse', { query: 'sum(' }, /invalid PromQL/],
    ['returns a range vector', { query: 'up[5m]' }, /range vector/],
    ['reads what the rule writes', { query: 'sum(job:calls:rate1m)' }, /reads the metric job:calls:rate1m/],
  ])('is rejected if its expression %s', async (_name, changes, message) => {
    await expect(create(changes)).rejects.toThrow(message);
  });
});
