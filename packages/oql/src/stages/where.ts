import { checkCondition } from '../check/expression.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { condition } from '../check/value.ts';
import type { StageDefinition } from './definition.ts';

export const where: StageDefinition<'where'> = {
  kind: 'where',
  syntax: 'where CONDITION',
  doc: 'Keeps the rows that match a condition.',
  examples: [
    'logs | where severity >= error and body has "timeout"',
    'spans | where duration > 100ms and not http.route exists',
  ],
  check(stage, input, ctx) {
    const predicate = checkCondition(stage.predicate, rowsOf(input, ctx));
    if (predicate.broken) return input;
    return { ...input, plan: { op: 'filter', input: input.plan, predicate: condition(predicate) } };
  },
};
