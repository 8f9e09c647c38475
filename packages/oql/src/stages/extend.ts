import { checkExpression } from '../check/expression.ts';
import { withColumn } from '../check/relation.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { store } from '../check/store.ts';
import { WindowColumns, windowsOf } from '../check/windows.ts';
import { columnsOf } from '../rules/columns.ts';
import type { Sql } from '../sql/sql.ts';
import type { StageDefinition } from './definition.ts';
import { checkWithin } from './within.ts';

export const extend: StageDefinition<'extend'> = {
  kind: 'extend',
  syntax: 'extend NAME = EXPRESSION, … [within NAME, …]',
  doc: 'Adds columns. A later column can use an earlier one, and an existing name is replaced. Use `over` for aggregates of other rows: `over 5 buckets`, `over 5 rows`, `over 1h` (up to and including the current row, in its series) or `over all`. `within` names the groups whose rows `rank`, `lag`, `share`, `over` and the other functions of other rows read.',
  examples: [
    'spans | extend ms = milliseconds(duration), slow = ms > 100 | where slow',
    'logs | extend user = attr.user.id | stats n=count() by user',
    'spans | stats p95=p95(duration) by bucket(5m), service.name | extend smooth = avg(p95) over 6 buckets, change = difference(p95)',
    'logs | stats n=count() by service.name | sort -n | extend percent = 100 * share(n), so_far = running_sum(n) / (sum(n) over all)',
    'spans | stats n=count() by service.name, http.route | extend place = rank(n), percent = 100 * share(n) within service.name',
    'logs | extend pause = difference(time) within service.name | where pause > 1m',
  ],
  check(stage, input, ctx) {
    const within = stage.within.length > 0 ? checkWithin(stage.within, input, ctx) : undefined;
    if (stage.within.length > 0 && !within) return { ...input, unknown: true };
    const before = ctx.windows;
    let relation = input;
    for (const { target, value } of stage.assignments) {
      const name = target.segments.join('.');
      const beside = new WindowColumns(ctx.fresh, columnsOf);
      const windowScope = { windows: windowsOf(relation, within), add: (of: Sql) => beside.add(of) };
      const checked = checkExpression(value, { ...rowsOf(relation, ctx), windowScope });
      // Another name for a field does not need a new column.
      const alias = value.kind === 'path' || checked.broken;
      const stored = alias ? undefined : store(checked, ctx.fresh);
      relation = {
        ...relation,
        ...(stored ? { plan: { op: 'extend', input: beside.over(relation.plan), columns: [stored.definition] } } : {}),
        columns: withColumn(relation.columns, { name, value: stored?.value ?? checked }),
      };
    }
    if (within && ctx.windows === before && !relation.unknown) {
      const message =
        '`within` needs a function that reads other rows, as in `extend place = rank(n) within service.name`.';
      ctx.error('NOT_AVAILABLE', stage, message);
    }
    return relation;
  },
};
