import { evaluate, parsePromql, type SampleSource } from '@fanion/promql';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fields } from './classic-rules.ts';
import { formulasOf } from './formula-rules.ts';

const expression = { type: '__expr__', uid: '__expr__' };
const query = (refId: string, expr: string): Fields => ({ refId, expr, datasource: { type: 'prometheus' } });
const formula = (refId: string, fields: Fields): Fields => ({ refId, datasource: expression, ...fields });

/** A formula over queries, in PromQL. */
function written(fields: Fields, targets: readonly Fields[] = [query('A', 'a'), query('B', 'b')]) {
  const last = formula('Z', fields);
  return formulasOf({}, [...targets, last])(last);
}
const math = (text: string, targets?: readonly Fields[]) => written({ type: 'math', expression: text }, targets);

/** The points of two series `a`, one each minute. */
const points = { x: [9, 1, 2, 3, 4, 10], y: [9, 1, Number.NaN, 3, Infinity, 2] };
const source: SampleSource = {
  select: async ({ start, end }) => ({
    warnings: [],
    series: Object.entries(points).map(([job, all]) => {
      const inside = all.map((value, at) => ({ at: at * 60_000, value })).filter(({ at }) => at > start && at <= end);
      return {
        labels: new Map([['job', job]]),
        times: Float64Array.from(inside, ({ at }) => at),
        values: Float64Array.from(inside, ({ value }) => value),
      };
    }),
  }),
};

/** What is answered at the last of the points, by `job`. */
async function answersOf(promql: string): Promise<Record<string, number>> {
  const limits = { steps: 1, series: 10, samples: 1_000 };
  const instant = { start: 300_000, end: 300_000, step: 0, lookback: 60_000, limits };
  const { result } = await evaluate(parsePromql(promql), instant, source, new AbortController().signal);
  if (result.type !== 'vector') throw new Error(`${promql} is no vector`);
  return Object.fromEntries(result.samples.map(({ labels, value }) => [labels.get('job') ?? '', value]));
}

async function numberOf(promql: string): Promise<number | undefined> {
  return (await answersOf(promql))[''];
}

/** A formula, and its value as Grafana computes it. */
interface Case {
  readonly text: string;
  /** NaN if any part of it is: its comparisons differ, which the import says. */
  readonly value: number;
}

const truth = (holds: boolean) => (holds ? 1 : 0);
const binary: readonly (readonly [string, (a: number, b: number) => number])[] = [
  ['+', (a, b) => a + b],
  ['-', (a, b) => a - b],
  ['*', (a, b) => a * b],
  ['/', (a, b) => a / b],
  ['%', (a, b) => a % b],
  ['**', (a, b) => a ** b],
  ['==', (a, b) => truth(a === b)],
  ['!=', (a, b) => truth(a !== b)],
  ['>', (a, b) => truth(a > b)],
  ['>=', (a, b) => truth(a >= b)],
  ['<', (a, b) => truth(a < b)],
  ['<=', (a, b) => truth(a <= b)],
  ['&&', (a, b) => truth(a !== 0 && b !== 0)],
  ['||', (a, b) => truth(a !== 0 || b !== 0)],
];
const unary: readonly (readonly [string, (a: number) => number])[] = [
  ['abs', Math.abs],
  ['log', Math.log],
  ['ceil', Math.ceil],
  ['floor', Math.floor],
  ['round', (a) => Math.sign(a) * Math.floor(Math.abs(a) + 0.5)],
  ['is_nan', (a) => truth(Number.isNaN(a))],
  ['is_inf', (a) => truth(Math.abs(a) === Infinity)],
  ['is_number', (a) => truth(Number.isFinite(a))],
  ['-', (a) => -a],
  ['!', (a) => truth(a === 0)],
];

const constants = fc.constantFrom(0, 1, 2.5, 100).map((value): Case => ({ text: String(value), value }));

/** Formulas over the queries A and B. */
const casesOf = (a: number, b: number): fc.Arbitrary<Case> =>
  fc.letrec<{ whole: Case }>((tie) => ({
    whole: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom({ text: '$A', value: a }, { text: '$' + '{B}', value: b }),
      fc.tuple(fc.constantFrom(...unary), tie('whole')).map(([[name, of], { text, value }]) => ({
        text: `${name}(${text})`,
        value: Number.isNaN(value) ? value : of(value),
      })),
      fc
        .tuple(tie('whole'), fc.constantFrom(...binary), fc.oneof(tie('whole'), constants))
        .map(([left, [sign, of], right]) => ({
          text: `(${left.text}) ${sign} (${right.text})`,
          value: [left, right].some(({ value }) => Number.isNaN(value)) ? Number.NaN : of(left.value, right.value),
        })),
    ),
  })).whole;
const values = fc.constantFrom(0, 1, -1, 2.5, -2.5, 0.5, 7, 1_000);

describe('formulas of Grafana in PromQL', () => {
  it('have the value that Grafana computes', async () => {
    const both = fc.tuple(values, values).chain(([a, b]) => casesOf(a, b).map((one) => ({ a, b, ...one })));
    await fc.assert(
      fc.asyncProperty(
        both.filter(({ value }) => !Number.isNaN(value)),
        async ({ a, b, text, value }) => {
          const found = math(text, [query('A', `vector(${a})`), query('B', `vector(${b})`)]);
          const answer = await numberOf(found?.expr ?? '');
          // Minus zero is zero.
          expect(answer === value ? value : answer).toBe(value);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['2 + $A * 3', 8],
    ['$A ** 3 ** 2', 64],
    ['-$A ** 2', 4],
    ['!$A + 1', 1],
    ['1 - 2 - $A', -3],
    ['$A > 1 && $A < 3 || 0', 1],
    ['$A == 2 == 1', 1],
    ['.5e1*$A % 3', 1],
    ['is_nan($A - nan())', 1],
    ['is_inf($A * infn())', 1],
    ['$A / 0 == inf()', 1],
    ['round(0 - $A - 0.5)', -3],
  ])('bind like those of Grafana: %s', async (text, value) => {
    expect(await numberOf(math(text, [query('A', 'vector(2)')])?.expr ?? '')).toBe(value);
  });

  it.each([
    ['an unknown function', 'sin($A)'],
    ['null', 'is_null($A) + null()'],
    ['a function of a number', '$A + abs(1)'],
    ['a character of no meaning', '$A ^ 2'],
    ['an open parenthesis', '($A'],
    ['two operands', '$A $B'],
    ['an unknown query', '$A + $C'],
    ['no query', '1 + 1'],
    ['nothing', ''],
    ['more than 1,000 characters', `$A${' + 1'.repeat(300)}`],
    ['a hundred functions in each other', `${'round('.repeat(100)}$A${')'.repeat(100)}`],
    ['itself', '$A + $Z'],
  ])('have no equal with %s', (_name, text) => {
    expect(math(text)).toBeUndefined();
  });

  it('follow formulas of formulas, but not for ever', async () => {
    const chain = (length: number) =>
      Array.from({ length }, (_, at) =>
        formula(`F${at}`, { type: 'math', expression: at === 0 ? '$A + 1' : `$F${at - 1} + 1` }),
      );
    const targets = [query('A', 'vector(1)'), ...chain(12)];
    expect(await numberOf(math('$F7 * 2', targets)?.expr ?? '')).toBe(18);
    expect(math('$F11 * 2', targets)).toBeUndefined();
    const circle = [
      formula('X', { type: 'math', expression: '$Y + $A' }),
      formula('Y', { type: 'math', expression: '$X + $A' }),
    ];
    expect(math('$X', [query('A', 'a'), ...circle])).toBeUndefined();
  });

  it('say what differs', () => {
    expect(math('abs($A) * 2')?.losses).toEqual([]);
    expect(math('$A / $B')?.losses).toEqual(['its formula joins only series with equal labels']);
    expect(math('$A > 1')?.losses).toEqual([expect.stringContaining('compares NaN')]);
    expect(written({ type: 'reduce', expression: 'A', reducer: 'max' })?.losses).toEqual([
      expect.stringContaining('first step'),
    ]);
  });
});

/** What a panel of five minutes with a step of one answers. */
function answersOfPanel(fields: Fields): Promise<Record<string, number>> {
  const { expr = '' } = written(fields) ?? {};
  return answersOf(expr.replaceAll('$__range', '5m').replaceAll('$__interval', '1m'));
}

describe('reductions of Grafana in PromQL', () => {
  it.each([
    ['sum', 20, Number.NaN],
    ['mean', 4, Number.NaN],
    ['min', 1, 1],
    ['max', 10, Infinity],
    ['count', 5, 5],
    ['last', 10, 2],
    ['median', 3, 2],
  ])('take the %s of the points of each series', async (reducer, x, y) => {
    expect(await answersOfPanel({ type: 'reduce', expression: 'A', reducer })).toEqual({ x, y });
  });

  it.each([
    ['sum', 6],
    ['count', 3],
    ['max', 3],
  ])('take the %s of numbers only, if wanted', async (reducer, y) => {
    expect(
      await answersOfPanel({ type: 'reduce', expression: '$A', reducer, settings: { mode: 'dropNN' } }),
    ).toMatchObject({ y });
  });

  it.each([
    ['in the place of what is no number', { reducer: 'sum', settings: { mode: 'replaceNN', replaceWithValue: 0 } }],
    ['by an unknown reducer', { reducer: 'diff' }],
    ['of an unknown query', { reducer: 'sum', expression: 'Q' }],
  ])('have no equal %s', (_name, fields) => {
    expect(written({ type: 'reduce', expression: 'A', ...fields })).toBeUndefined();
  });
});

describe('thresholds of Grafana in PromQL', () => {
  const threshold = (type: string, params: unknown) => ({
    ...{ type: 'threshold', expression: 'A', conditions: [{ evaluator: { type, params } }] },
  });

  it.each([
    ['gt', [2], 1, 0],
    ['gte', [2], 1, 1],
    ['lt', [10], 0, 1],
    ['lte', [2], 0, 1],
    ['eq', [10], 1, 0],
    ['ne', [10], 0, 1],
    ['within_range', [2, 11], 1, 0],
    ['within_range_included', [2, 11], 1, 1],
    ['outside_range', [2, 9], 1, 0],
    ['outside_range_included', [2, 9], 1, 1],
  ])('are 1 beyond, else 0: %s %j', async (type, params, x, y) => {
    expect(await answersOfPanel(threshold(type, params))).toEqual({ x, y });
  });

  it.each([
    ['without a number', threshold('gt', [])],
    ['with one end of a range', threshold('within_range', [1])],
    ['with text', threshold('gt', ['1) or vector(1'])],
    ['of an unknown kind', threshold('constructor', [1, 2])],
    ['without a condition', { type: 'threshold', expression: 'A' }],
    [
      'with a way back',
      { ...threshold('gt', [1]), conditions: [{ ...threshold('gt', [1]).conditions[0], unloadEvaluator: {} }] },
    ],
  ])('have no equal %s', (_name, fields) => {
    expect(written(fields)).toBeUndefined();
  });
});
