import { zeroId } from '../check/store.ts';
import type { Plan } from '../plan/plan.ts';
import { aggregate, column, type Sql, sql } from '../sql/sql.ts';
import { type AskedSpans, beginOf, endOf, type LookedUp, wholeTraces } from './traces.ts';

/** The part of a span's duration in which none of its children ran. No table stores it. */
export const SELF_TIME = 'self_time';

/** Looks up when the children of each span began and ended, by trace and parent. */
export function lookUpSelfTime(asked: AskedSpans): LookedUp {
  const { read, filtered } = wholeTraces(asked);
  // A span that names itself as its parent is not its own child.
  const isChild = sql`(${read('parent_span_id')} != ${zeroId(8)} AND ${read('parent_span_id')} != ${read('span_id')})`;
  const [trace, parent, intervals] = [asked.fresh(), asked.fresh(), asked.fresh()];
  const interval = sql`tuple(${beginOf(read)}, ${endOf(read)})`;
  const plan: Plan = {
    op: 'aggregate',
    input: filtered([isChild]),
    keys: [
      { id: trace, value: read('trace_id') },
      { id: parent, value: read('parent_span_id') },
    ],
    aggregates: [{ id: intervals, value: aggregate('groupArray', [interval]) }],
  };
  return {
    plan,
    on: [
      { name: 'trace_id', right: column(trace) },
      { name: 'span_id', right: column(parent) },
    ],
    value: () => selfTime(asked.span, column(intervals)),
  };
}

function selfTime(span: (name: string) => Sql, children: Sql): Sql {
  const [begin, end] = [beginOf(span), endOf(span)];
  const begins = sql`arrayMap(x -> least(greatest(x.1, ${begin}), ${end}), ${children})`;
  const ends = sql`arrayMap(x -> greatest(least(x.2, ${end}), ${begin}), ${children})`;
  const covered = sql`toInt64(arrayReduce('intervalLengthSum', ${begins}, ${ends}))`;
  return sql`(${end} - ${begin} - ${covered})`;
}
