import type { Context } from '../check/context.ts';
import { liftRelation } from '../check/lift.ts';
import type { Relation } from '../check/relation.ts';
import { keep } from '../check/store.ts';
import type { Value } from '../check/value.ts';
import type { Definition, Plan } from '../plan/plan.ts';
import { scanColumn } from '../plan/plan.ts';
import { scansOf, substitute } from '../rules/columns.ts';
import { signalRelation } from '../schema/rows.ts';
import { SPANS } from '../schema/spans.ts';
import { type ColumnId, column, type Sql, sql } from '../sql/sql.ts';
import type { StageOf } from '../syntax/ast.ts';

/** `a{…} -> b{…}`: spans with a link to a span that matches the first pattern, possibly in another trace. */
export function matchLinked(
  stage: StageOf<'match'>,
  input: Relation,
  conditions: readonly Sql[],
  ctx: Context,
): Relation {
  const [first = sql`true`, second = sql`true`] = conditions;
  const [scan] = scansOf(input.plan);
  if (!scan) return { ...input, unknown: true };
  const read = (name: string): Sql => column(scanColumn(scan, name, ctx.fresh));
  const linkTrace = ctx.fresh();
  const linkSpan = ctx.fresh();
  const linking: Plan = {
    op: 'unnest',
    input: { op: 'filter', input: input.plan, predicate: second },
    columns: [
      { id: linkTrace, value: read('link_trace_id') },
      { id: linkSpan, value: read('link_span_id') },
    ],
  };
  // The same rows a second time, with separate columns.
  const other = signalRelation(SPANS, input.window, ctx);
  const mine = [...scan.columns].map(([name, id]): [ColumnId, Sql] => [id, other.read(name)]);
  const brought: Definition[] = [];
  const bring = (of: Sql): Sql => {
    const id = ctx.fresh();
    brought.push({ id, value: of });
    return column(id);
  };
  const linked: Plan = {
    op: 'extend',
    input: { op: 'filter', input: other.plan, predicate: substitute(first, new Map(mine)) },
    columns: brought,
  };
  const on = [
    { left: column(linkTrace), right: bring(other.read('trace_id')) },
    { left: column(linkSpan), right: bring(other.read('span_id')) },
  ];
  const beside = new Map<string, Relation>();
  const [from, to] = stage.nodes;
  const lift = (value: Value): Value => {
    const kept = keep(value);
    return kept.restore(bring(kept.sql));
  };
  if (from?.name) beside.set(from.name.text, liftRelation(other, lift));
  if (to?.name) beside.set(to.name.text, { ...input, columns: [] });
  return { ...input, plan: { op: 'join', mode: 'inner', left: linking, right: linked, on }, beside, sorted: false };
}
