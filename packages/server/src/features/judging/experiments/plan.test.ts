import { bucketValue } from '@fanion/flag-engine';
import { beforeAll, describe, expect, it } from 'vitest';
import { useExperiments } from './testing/experiment-world.ts';

const kit = useExperiments();
const { experiments, flagPath, newFlag, draftOf, newDraft, running, codeOf, expose, arms } = kit;
let ada: typeof kit.ada;
beforeAll(() => {
  ada = kit.ada;
});

describe('an A/A replay', () => {
  it('divides past units as the experiment will, and keeps an unlucky salt from being started', async () => {
    const { id } = await newDraft('replayed');
    const one = `${experiments()}/${id}`;
    expect((await ada.post(`${one}/replay`)).data.replay).toMatchObject({ ok: true, units: { false: 0, true: 0 } });
    const all = Array.from({ length: 4_000 }, (_, i) => `replayed-${i}`);
    const isFirst = (unit: string) => bucketValue({ seed: `experiment-${id}` }, unit) < 0.5;
    const first = all.filter(isFirst).slice(0, 200);
    const units = [...first, ...all.filter((unit) => !isFirst(unit)).slice(0, 200)];
    const at = Date.now() - 3_600_000;
    // Everybody saw the control; those whom this salt gives the variant happen to buy more.
    await expose(
      'replayed',
      at,
      units.map((unit, i) => ({ unit, variant: 'false', bought: first.includes(unit) ? i % 10 === 0 : i % 2 === 0 })),
      { tracked: false },
    );
    await expose('replayed', at, [{ unit: 'saw-more', variant: 'false' }], { tracked: false });
    await expose('replayed', at, [{ unit: 'saw-more', variant: 'true' }], { tracked: false });
    const { replay } = (await ada.post(`${one}/replay`)).data;
    expect(replay).toMatchObject({
      ok: false,
      tried: 1,
      days: 1,
      daily: 400,
      warnings: [],
      units: { false: 200, true: 200 },
      reason: expect.stringContaining('Bought'),
      metrics: [{ metric: 'bought', role: 'goal', unlucky: true, error: null }],
    });
    expect(codeOf(await ada.post(`${one}/start`))).toEqual([409, 'SVC-7134']);
    const again = (await ada.post(`${one}/replay`, { reseed: true })).data;
    expect(again.replay.ok).toBe(true);
    expect(again.replay.metrics[0].power).toBeGreaterThan(0);
    const started = await ada.post(`${one}/start`);
    expect(started.status, started.text).toBe(200);
    expect(codeOf(await ada.post(`${one}/replay`))).toEqual([409, 'SVC-7134']);
    const audience = [{ attribute: 'country', op: 'in', values: ['DE'] }];
    const narrow = await ada.post(experiments(), draftOf('replayed', { key: 'replayed-narrow', audience }));
    expect((await ada.post(`${experiments()}/${narrow.data.id}/replay`)).data.replay.warnings).toEqual([
      expect.stringMatching(/^The audience is not applied: /),
    ]);
    const layered = await newDraft('replayed-layer', { layer: 'one', traffic: { start: 0, share: 100_000 } });
    expect(codeOf(await ada.post(`${experiments()}/${layered.id}/replay`, { reseed: true }))).toEqual([
      422,
      'SVC-7133',
    ]);
  });
});

describe('a backtest of guards', () => {
  it('finds no regression between arms that were served the same', async () => {
    await newFlag('backtested');
    const release = {
      variant: 'true',
      steps: [
        { weight: 10_000, hold: '1d', min_units: 1 },
        { weight: 50_000, hold: '1h' },
      ],
      guards: [{ metric: 'bought', direction: 'up_is_good', tolerance: 0.05, min_units: 20 }],
    };
    const path = `${flagPath('backtested')}/guarded-release`;
    expect((await ada.put(path, release)).status).toBe(200);
    expect((await ada.get(`${path}/backtest`)).data).toMatchObject({
      releases: 0,
      note: expect.stringContaining('"false"'),
    });
    const units = Array.from({ length: 900 }, (_, i) => ({ unit: `b-${i}`, variant: 'false', bought: i % 4 === 0 }));
    await expose('backtested', Date.now() - 20 * 86_400_000, units, { tracked: false });
    const answer = await ada.get(`${path}/backtest`);
    expect(answer.status, answer.text).toBe(200);
    // They came 20 days ago: the ten days before have no traffic, since nobody asked for the flag yet.
    expect(answer.data).toMatchObject({ note: null, days: 20, units_per_day: 45, releases: 3, false_rollbacks: 0 });
    const [guard] = answer.data.guards;
    expect(guard).toMatchObject({ metric: 'bought', error: null, releases: 3, false_rollbacks: 0 });
    expect(guard.baseline).toBeGreaterThan(0.15);
    // Four units in an arm are fewer than the guard needs.
    expect(guard.steps).toMatchObject([
      { units_per_arm: 4, smallest_regression: null },
      { units_per_arm: 0, smallest_regression: null },
    ]);
  });
});

describe('the calculator', () => {
  const path = () => `${experiments()}/calculator`;
  it('wins over an experiment of that name, and agrees with the textbook', async () => {
    const answer = await ada.get(
      `${path()}?kind=conversion&baseline=0.1&effect=0.1&alpha=0.05&power=0.8&arms=2&daily=10000`,
    );
    expect(answer.status, answer.text).toBe(200);
    expect(Math.abs(answer.data.fixed.per_arm / 14_751 - 1)).toBeLessThan(0.001);
    const sequential = await ada.get(`${path()}?baseline=0.1&effect=0.1&daily=10000&sequential=true`);
    expect(sequential.data).toMatchObject({ ...sequential.data.sequential, fixed: answer.data.fixed });
  });
  it('takes what is left out from own telemetry', async () => {
    const { startedAt } = await running('calculated');
    // Seven days ago, before the flag was split: units outside of splits count too.
    const before = startedAt - 7 * 86_400_000;
    await expose('calculated', before, arms('calculated', 140, { false: 0.25 }), { tracked: false });
    await expose('calculated', startedAt, arms('calculated', 140, { true: 0.25 }));
    const filled = await ada.get(`${path()}?metric=bought&flag=calculated&environment=production&effect=0.2`);
    expect(filled.data, filled.text).toMatchObject({ baseline: 0.25, daily: 40, measured_days: 7, effect: 0.2 });
    expect(filled.data.power_at_days.length).toBeGreaterThan(0);
  });
  it.each([
    'kind=mean&baseline=5',
    'baseline=2',
    'metric=bought',
    'metric=bought&flag=unknown&environment=production',
    'effect=0.1',
  ])('refuses %s', async (query) => {
    expect(codeOf(await ada.get(`${path()}?${query}`))).toEqual([422, 'SVC-7133']);
  });
});
