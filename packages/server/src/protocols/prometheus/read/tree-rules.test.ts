import { parsePromql } from '@fanion/promql';
import { expect, it } from 'vitest';
import { treeOf } from './tree-rules.ts';

it('shows an expression as Prometheus does', () => {
  const text = 'sum without (pod) (rate(requests{a!~"x"}[5m] offset 1m)) > bool on (job) group_left (team) up @ end()';
  expect(treeOf(parsePromql(text))).toEqual({
    type: 'binaryExpr',
    op: '>',
    bool: true,
    matching: { card: 'many-to-one', labels: ['job'], on: true, include: ['team'] },
    lhs: {
      type: 'aggregation',
      op: 'sum',
      param: null,
      grouping: ['pod'],
      without: true,
      expr: {
        type: 'call',
        func: { name: 'rate' },
        args: [
          {
            type: 'matrixSelector',
            name: 'requests',
            range: 300_000,
            offset: 60_000,
            timestamp: null,
            startOrEnd: null,
            matchers: expect.arrayContaining([
              { name: '__name__', type: '=', value: 'requests' },
              { name: 'a', type: '!~', value: 'x' },
            ]),
          },
        ],
      },
    },
    rhs: {
      ...{ type: 'vectorSelector', name: 'up', offset: 0, timestamp: null, startOrEnd: 'end' },
      matchers: [{ name: '__name__', type: '=', value: 'up' }],
    },
  });
});
