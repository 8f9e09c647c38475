import { describe, expect, it } from 'vitest';
import { parseLogql, parseSelector } from './parse.ts';

const operation = (text: string): unknown => {
  const query = parseLogql(text);
  if (query.kind === 'number') return query.value;
  return query.kind === 'binary' ? [query.op, shown(query.left), shown(query.right)] : query.kind;
};
const shown = (query: ReturnType<typeof parseLogql>): unknown => {
  if (query.kind === 'binary') return [query.op, shown(query.left), shown(query.right)];
  return query.kind === 'number' ? query.value : query.kind;
};

describe('LogQL', () => {
  it.each([
    ['1 + 2 * 3 ^ 2', ['+', 1, ['*', 2, ['^', 3, 2]]]],
    ['1 - 2 - 3', ['-', ['-', 1, 2], 3]],
    ['2 ^ 3 ^ 2', ['^', 2, ['^', 3, 2]]],
    ['(1 + 2) * 3', ['*', ['+', 1, 2], 3]],
    ['1 > 2 + 3 or vector(1)', ['or', ['>', 1, ['+', 2, 3]], 'vector']],
  ])('binds operators as Loki does: %s', (text, expected) => {
    expect(operation(text)).toEqual(expected);
  });

  it('binds `and` closer than `or`, and a comma to all after it', () => {
    const query = parseLogql('{a="b"} | x="1" or y="2" and z="3", q="4"');
    const [stage] = query.kind === 'lines' ? query.stages : [];
    const text = (name: string, value: string) => ({ kind: 'text', matcher: { name, op: '=', value } });
    expect(stage).toEqual({
      kind: 'label_filter',
      filter: {
        ...{ kind: 'or', left: text('x', '1') },
        right: {
          kind: 'and',
          left: text('y', '2'),
          right: { kind: 'and', left: text('z', '3'), right: text('q', '4') },
        },
      },
    });
  });

  it('reads a range with its offset and the filters after unwrap', () => {
    expect(
      parseLogql('quantile_over_time(0.99, {a=`b`} | unwrap duration(x) | __error__="" [1h30m] offset -5m) by (host)'),
    ).toMatchObject({
      ...{ kind: 'range', op: 'quantile_over_time', parameter: 0.99, rangeNs: 5_400_000_000_000n },
      ...{ offsetNs: -300_000_000_000n, grouping: { mode: 'by', labels: ['host'] } },
      unwrap: { label: 'x', conversion: 'duration', filters: [{ kind: 'text', matcher: { name: '__error__' } }] },
    });
  });

  it.each([
    ['{a=~".*"}', 'at least one regexp or equality matcher'],
    ['{a="b"', 'unexpected end of the query'],
    ['count_over_time({a="b"} | unwrap x [5m])', 'invalid aggregation count_over_time with unwrap'],
    ['sum_over_time({a="b"}[5m])', 'invalid aggregation sum_over_time without unwrap'],
    ['rate({a="b"}[5m]) by (x)', 'grouping not allowed for rate'],
    ['topk(0, rate({a="b"}[5m]))', 'invalid parameter'],
    ['{a="b"} | x > ip("10.0.0.0/8")', 'syntax error'],
    ['{a="\\q"}', 'invalid escape sequence'],
    ['('.repeat(200), 'nested more than'],
  ])('rejects %s', (text, message) => {
    expect(() => parseLogql(text)).toThrow(message);
  });

  it('takes empty braces as a selector of everything, for lists only', () => {
    expect(parseSelector('{}')).toEqual([]);
    expect(() => parseLogql('{}')).toThrow('parse error');
  });
});
