import { checkExpression } from '../check/expression.ts';
import { withColumn } from '../check/relation.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { store } from '../check/store.ts';
import type { StageDefinition } from './definition.ts';

export const extend: StageDefinition<'extend'> = {
  kind: 'extend',
  syntax: 'extend NAME = EXPRESSION, …',
  doc: 'Adds columns; a later one may use an earlier one, and a name that exists is replaced.',
  examples: [
    'spans | extend ms = milliseconds(duration), slow = ms > 100 | where slow',
    'logs | extend user = attr.user.id | stats n=count() by user',
  ],
  check(stage, input, ctx) {
    let relation = input;
    for (const { target, value } of stage.assignments) {
      const name = target.segments.join('.');
      const checked = checkExpression(value, rowsOf(relation, ctx));
      // Another name for a field is no new column.
      const alias = value.kind === 'path' || checked.broken;
      const stored = alias ? undefined : store(checked, ctx.fresh);
      relation = {
        ...relation,
        ...(stored ? { plan: { op: 'extend', input: relation.plan, columns: [stored.definition] } } : {}),
        columns: withColumn(relation.columns, { name, value: stored?.value ?? checked }),
      };
    }
    return relation;
  },
};
