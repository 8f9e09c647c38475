import { checkCondition } from '../check/expression.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { condition } from '../check/value.ts';
import type { StageDefinition } from './definition.ts';

export const where: StageDefinition<'where'> = {
  kind: 'where',
  syntax: 'where CONDITION [for DURATION]',
  doc: 'Keeps the rows that match a condition. After groups by `bucket(…)`, `for 5m` keeps the buckets at which it has held for five minutes: in their own bucket and in all those before it of that time, of the same series. A bucket without a row ends it (`fill 0` adds such rows).',
  examples: [
    'logs | where severity >= error and body has "timeout"',
    'spans | where duration > 100ms and not http.route exists',
    'spans | stats errors=ratio(status == error) by bucket(1m), service.name | where errors > 0.05 for 5m',
  ],
  check(stage, input, ctx) {
    const predicate = checkCondition(stage.predicate, rowsOf(input, ctx));
    if (predicate.broken) return input;
    return { ...input, plan: { op: 'filter', input: input.plan, predicate: condition(predicate) } };
  },
};
