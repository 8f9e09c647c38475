import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeyValue } from './attribute-rules.ts';
import { combined, type Exemplar, processed, type Series, scaled } from './series-rules.ts';
import type { FilterOperator, SecondStage } from './traceql/tree.ts';

const none = Number.NaN;
const pause = () => undefined;
const text = (key: string, stringValue: string): KeyValue => ({ key, value: { stringValue } });
const named = (name: string) => [text('__name__', name)];
const exemplar = (step: number, value?: number): Exemplar => ({
  traceId: 'a',
  spanId: 'b',
  timeNs: BigInt(step),
  step,
  value,
});
const series = (
  labels: readonly KeyValue[],
  values: readonly number[],
  exemplars: readonly Exemplar[] = [],
): Series => ({
  labels,
  values: Float64Array.from(values),
  exemplars,
});
const shown = (all: readonly Series[]) => all.map(({ labels, values }) => [labels, [...values]]);
const filter = (operator: FilterOperator, value: number): SecondStage => ({ kind: 'filter', operator, value });

describe('what follows a metrics function', () => {
  it('keeps the largest values of each step, of equal ones the first', async () => {
    const all = [
      [1, 5, none],
      [2, 5, none],
      [3, 1, none],
    ].map((values, i) => series([{ key: 'i', value: { intValue: String(i) } }], values));
    const kept = async (kind: 'topk' | 'bottomk', count: number) =>
      (await processed(all, [{ kind, count }], pause)).map(({ labels, values }) => [labels[0]?.value, [...values]]);
    expect(await kept('topk', 1)).toEqual([
      [{ intValue: '0' }, [none, 5, none]],
      [{ intValue: '2' }, [3, none, none]],
    ]);
    expect(await kept('bottomk', 1)).toEqual([
      [{ intValue: '0' }, [1, none, none]],
      [{ intValue: '2' }, [none, 1, none]],
    ]);
    expect([...(all[0]?.values ?? [])]).toEqual([1, 5, none]);
  });

  it.each<[FilterOperator, number[]]>([
    ['=', [none, 2, none, none]],
    ['!=', [1, none, 3, none]],
    ['<', [1, none, none, none]],
    ['<=', [1, 2, none, none]],
    ['>', [none, none, 3, none]],
    ['>=', [none, 2, 3, none]],
  ])('keeps the values that compare by %s', async (operator, values) => {
    const all = [series(named('rate'), [1, 2, 3, none]), series([text('a', 'b')], [none, none, none, none])];
    expect(shown(await processed(all, [filter(operator, 2)], pause))).toEqual([[named('rate'), values]]);
  });

  it('runs in the order of the query', async () => {
    const all = [series([text('a', '1')], [5]), series([text('a', '2')], [9]), series([text('a', '3')], [20])];
    const values = async (...stages: SecondStage[]) =>
      (await processed(all, stages, pause)).map((one) => one.values[0]);
    expect(await values({ kind: 'topk', count: 1 }, filter('<', 10))).toEqual([]);
    expect(await values(filter('<', 10), { kind: 'topk', count: 1 })).toEqual([9]);
  });

  it('drops the exemplars of lost values, and those whose own value does not compare', async () => {
    const all = [series(named('x'), [1, 5], [exemplar(0), exemplar(1), exemplar(1, 9), exemplar(1, 2)])];
    const [left] = await processed(all, [filter('>', 3)], pause);
    expect(left?.exemplars).toEqual([exemplar(1), exemplar(1, 9)]);
  });

  it('keeps the same values for any order of two comparisons', async () => {
    const numbers = fc.array(fc.oneof(fc.double(), fc.constant(none)), { minLength: 1, maxLength: 20 });
    const operators = fc.constantFrom<FilterOperator>('=', '!=', '<', '<=', '>', '>=');
    await fc.assert(
      fc.asyncProperty(numbers, operators, fc.double(), operators, fc.double(), async (values, a, x, b, y) => {
        const all = [series(named('rate'), values)];
        const [first, second] = [filter(a, x), filter(b, y)];
        expect(shown(await processed(all, [first, second], pause))).toEqual(
          shown(await processed(all, [second, first], pause)),
        );
      }),
    );
  });
});

describe('arithmetic of metrics', () => {
  const [a, b] = [[text('s', 'a')], [text('s', 'b')]];

  it('matches series by their labels, in any order, and leaves out those without a partner', async () => {
    const left = [series([text('s', 'a'), text('t', '1')], [6, 8]), series(b, [1, 1])];
    const right = [series([text('t', '1'), text('s', 'a')], [2, 0]), series([text('s', 'c')], [1, 1])];
    expect(shown(await combined('/', left, right, pause))).toEqual([
      [
        [text('s', 'a'), text('t', '1')],
        [3, none],
      ],
    ]);
  });

  it('applies a series without labels to each of the other side', async () => {
    const [groups, total] = [[series(a, [6]), series(b, [9])], [series(named('rate'), [3])]];
    expect(shown(await combined('/', groups, total, pause))).toEqual([
      [a, [2]],
      [b, [3]],
    ]);
    expect(shown(await combined('-', total, groups, pause))).toEqual([
      [a, [-3]],
      [b, [-6]],
    ]);
  });

  it('names what both sides name', async () => {
    const [left, right] = [[series(named('rate'), [1])], [series(named('count_over_time'), [2])]];
    expect(shown(await combined('+', left, right, pause))).toEqual([[named('(rate + count_over_time)'), [3]]]);
    expect(await combined('+', left, [], pause)).toEqual([]);
    expect(await combined('+', [], right, pause)).toEqual([]);
  });

  it('distinguishes labels by the type of their value', async () => {
    const number: KeyValue[] = [{ key: 's', value: { intValue: '1' } }];
    expect(await combined('+', [series([text('s', '1')], [1])], [series(number, [1])], pause)).toEqual([]);
  });

  it('scales exemplars with their series, and puts those of two metrics on the result', async () => {
    const one = [series(named('avg_over_time'), [2], [exemplar(0, 3), exemplar(0)])];
    expect((await scaled(one, (value) => value * 10, pause))[0]).toEqual(
      series(named('avg_over_time'), [20], [exemplar(0, 30), exemplar(0)]),
    );
    const other = [series(named('rate'), [4], [exemplar(0)])];
    expect((await combined('/', one, other, pause))[0]?.exemplars).toEqual([exemplar(0), exemplar(0), exemplar(0)]);
    const groups = [series(a, [1], [exemplar(0, 7)])];
    expect((await combined('/', groups, other, pause))[0]?.exemplars).toEqual([exemplar(0)]);
  });

  it('is that of each step', async () => {
    const numbers = fc.array(fc.oneof(fc.double(), fc.constant(none)), { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(numbers, numbers, async (x, y) => {
        const result = async (operator: '+' | '-' | '*' | '/') => [
          ...((await combined(operator, [series(a, x)], [series(a, y)], pause))[0]?.values ?? []),
        ];
        expect(await result('+')).toEqual(x.map((value, i) => value + (y[i] ?? none)));
        expect(await result('/')).toEqual(x.map((value, i) => (y[i] === 0 ? none : value / (y[i] ?? none))));
      }),
    );
  });
});
