import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignedTo, dueSteps, lagSeconds, nextPending, type Progress, pointsOf, stepsBefore } from './write-rules.ts';

const second = 1_000;
const day = 86_400_000;
const progress = (changes: Partial<Progress> = {}): Progress => ({
  everyMs: 10 * second,
  watermarkMs: 100 * second,
  pendingToMs: undefined,
  ...changes,
});

describe('what a recording rule writes next', () => {
  it.each([
    ['before the end of its step', 109, { do: 'nothing' }],
    ['when its step has arrived', 110, { do: 'write', fromMs: 100_000, toMs: 110_000 }],
    ['late, one step alone', 200, { do: 'write', fromMs: 100_000, toMs: 110_000 }],
  ])('%s', (_name, now, due) => {
    expect(dueSteps(progress(), now * second)).toEqual(due);
  });

  it('is a range that was noted, whatever time it is', () => {
    const noted = progress({ pendingToMs: 150 * second });
    for (const now of [90, 160, 1_000, 1e6])
      expect(dueSteps(noted, now * second)).toEqual({ do: 'write', fromMs: 100_000, toMs: 150_000 });
  });

  it('skips steps that are older than a day, and counts them', () => {
    const now = 100 * second + day + 30 * second;
    expect(dueSteps(progress(), now)).toEqual({ do: 'skip', toMs: 130_000 + 0, missed: 3 });
  });

  it('notes a range where several steps are left, of at most 120', () => {
    expect(nextPending(progress(), 110 * second, 115 * second)).toBeUndefined();
    expect(nextPending(progress(), 110 * second, 120 * second)).toBeUndefined();
    expect(nextPending(progress(), 110 * second, 140 * second)).toBe(140 * second);
    expect(nextPending(progress(), 110 * second, 1e6 * second)).toBe((110 + 1_200) * second);
  });

  it('covers each step once, however runs fall and die', () => {
    const run = fc.record({ gapMs: fc.nat(200 * second), diesAfter: fc.constantFrom('nothing', 'insert', 'commit') });
    fc.assert(
      fc.property(fc.array(run, { maxLength: 40 }), (runs) => {
        let state = progress();
        let now = 100 * second;
        const inserted = new Map<string, [number, number]>();
        for (const { gapMs, diesAfter } of runs) {
          now += gapMs;
          for (let turn = 0; turn < 3; turn++) {
            const due = dueSteps(state, now);
            if (due.do !== 'write') break;
            inserted.set(`${due.fromMs}/${due.toMs}`, [due.fromMs, due.toMs]);
            if (diesAfter === 'insert' && turn === 0) break;
            state = { ...state, watermarkMs: due.toMs, pendingToMs: nextPending(state, due.toMs, now) };
            if (diesAfter === 'commit' && turn === 0) break;
          }
        }
        const ranges = [...inserted.values()].sort(([a], [b]) => a - b);
        // One range for one token, and no two of them share a step.
        return ranges.every(([from], i) => i === 0 || from === ranges[i - 1]?.[1]);
      }),
    );
  });

  it('fills the past backwards, in parts of 120 steps', () => {
    expect(stepsBefore(2_000 * second, 0, 10 * second)).toEqual({ fromMs: 800 * second, toMs: 2_000 * second });
    expect(stepsBefore(800 * second, 0, 10 * second)).toEqual({ fromMs: 0, toMs: 800 * second });
    expect(alignedTo(-1, 10)).toBe(-10);
  });

  it('lags by what should be written by now', () => {
    expect(lagSeconds({ watermarkMs: 100 * second, offsetMs: 5 * second }, 115 * second)).toBe(10);
    expect(lagSeconds({ watermarkMs: 100 * second, offsetMs: 5 * second }, 100 * second)).toBe(0);
  });
});

describe('the points of an answer', () => {
  const row = (at: number, service: string, value = 1) => ({
    at,
    labels: [['service.name', service] as const, ['http.route', ''] as const],
    value,
  });
  const own = { everyMs: 10, labels: { team: 'shop' }, maxSeries: 2 };

  it('lie at the end of their step, with the labels of the rule and without empty ones', async () => {
    expect(await pointsOf([row(20, 'cart', 3)], own)).toEqual([
      { labels: { 'service.name': 'cart', team: 'shop' }, startMs: 20, endMs: 30, value: 3 },
    ]);
  });

  it('cannot be two of one series and step', async () => {
    expect(await pointsOf([row(10, 'a'), row(20, 'a')], own)).toHaveLength(2);
    const long = 'x'.repeat(1_024);
    await expect(pointsOf([row(10, `${long}1`), row(10, `${long}2`)], own)).rejects.toThrow('same labels');
  });

  it('end a series unless another row has its labels, and do not count as series', async () => {
    const ended = (service: string) => ({ ...row(10, service), value: null });
    const points = await pointsOf([ended('a'), row(10, 'a'), row(10, 'b'), ended('c')], own);
    expect(points.map(({ labels, value }) => [labels['service.name'], value])).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', null],
    ]);
  });

  it('are of at most as many series as a rule may write in a step', async () => {
    expect(await pointsOf([row(10, 'a'), row(10, 'b'), row(20, 'c')], own)).toHaveLength(3);
    await expect(pointsOf([row(10, 'a'), row(10, 'b'), row(10, 'c')], own)).rejects.toThrow('more than 2 series');
  });
});
