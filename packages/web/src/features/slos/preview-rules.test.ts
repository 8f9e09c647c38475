import { expect, it } from 'vitest';
import { previewQueries } from './preview-rules.ts';

const asked = (total: string) =>
  previewQueries({ kind: 'ratio', query_language: 'promql', good: 'sum(increase(x[1m]))', total });

it.each([
  ['sum(increase(x[1m]))', 'sum(increase(x[30m]))'],
  ['increase(x[60s]) + increase(y[ 1m ])', 'increase(x[30m]) + increase(y[30m])'],
  // The text of a label is no range.
  ['increase(x{path="/a[1m]", b=\'[1m]\', c=`[1m]`}[1m])', 'increase(x{path="/a[1m]", b=\'[1m]\', c=`[1m]`}[30m])'],
  ['increase(x{path="\\"[1m]"}[1m])', 'increase(x{path="\\"[1m]"}[30m])'],
])('a preview counts %s over its steps', (given, overSteps) => {
  expect(asked(given)).toEqual({ first: overSteps, second: 'sum(increase(x[30m]))', step: '30m' });
});

it('has no preview of an expression without a range of one minute', () => {
  expect(asked('sum(increase(x{a="[1m]"}[5m]))').first).toBe(null);
});
