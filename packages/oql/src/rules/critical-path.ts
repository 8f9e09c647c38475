import type { Plan } from '../plan/plan.ts';
import { aggregate, column, type Sql, sql } from '../sql/sql.ts';
import { LIMITS } from '../syntax/guard.ts';
import { type AskedSpans, beginOf, endOf, type LookedUp, wholeTraces } from './traces.ts';

/** How long the critical path of a trace runs in a span but in none of its children. No table stores it. */
export const CRITICAL_PATH = 'critical_path';
/** Whether a span is on the critical path of its trace. */
export const IS_CRITICAL = 'on_critical_path';

/**
 * The same path as `followingCriticalPath` of the server (`traces/rules.ts`), which defines it, but without walking from
 * span to child: a statement can only iterate over lists. For each span of a trace, it computes the part that lies inside all
 * of its ancestors. Then one pass over these parts, the last to end first, keeps a stack of the spans that the path runs
 * through: it removes those that begin after the next part ends. A span is on the path if its parent is on top of the stack.
 *
 * Reading a list at several indexes copies it for each of them, so the ancestors are found by sorting spans and lookups
 * together ({@link inherited}), in steps that double.
 */
export function lookUpCriticalPath(asked: AskedSpans): LookedUp {
  const { fresh } = asked;
  const { read, filtered } = wholeTraces(asked);
  const trace = fresh();
  const raw = fresh();
  const number = (name: string) => sql`byteSwap(reinterpretAsUInt64(${read(name)}))`;
  const row = sql`tuple(${number('span_id')}, ${number('parent_span_id')}, ${beginOf(read)}, ${endOf(read)})`;
  let plan: Plan = {
    op: 'aggregate',
    input: filtered([]),
    keys: [{ id: trace, value: read('trace_id') }],
    aggregates: [{ id: raw, value: aggregate('groupArray', [row], [LIMITS.spansOfTrace + 1]) }],
  };
  const define = (value: Sql): Sql => {
    const id = fresh();
    plan = { op: 'extend', input: plan, columns: [{ id, value }], apart: true };
    return column(id);
  };
  const spans = define(spansOf(column(raw)));
  const parents = define(parentsOf(spans));
  const root = define(rootOf(spans, parents));
  const parts = define(inherited(spans, parents));
  const order = define(inOrder(spans, parents, parts, root));
  const path = define(walked(order));
  const [span, time, one, sum, found] = [fresh(), fresh(), fresh(), fresh(), fresh()];
  plan = {
    op: 'unnest',
    input: plan,
    columns: [
      { id: span, value: sql`${path}.3` },
      { id: time, value: sql`${path}.4` },
    ],
  };
  plan = {
    op: 'aggregate',
    input: plan,
    keys: [
      { id: one, value: column(trace) },
      { id: found, value: sql`CAST(reinterpretAsFixedString(byteSwap(${column(span)})), 'FixedString(8)')` },
    ],
    aggregates: [{ id: sum, value: aggregate('sum', [column(time)]) }],
  };
  return {
    plan,
    on: [
      { name: 'trace_id', right: column(one) },
      { name: 'span_id', right: column(found) },
    ],
    // A span without a match has a trace id of zeros.
    value: (name) => (name === CRITICAL_PATH ? column(sum) : sql`(${column(one)} != toFixedString('', 16))`),
  };
}

/** (id, parent, begin, end) of each span, ordered by id; of several with the same id, the first to begin, then the longest. */
function spansOf(raw: Sql): Sql {
  const most = LIMITS.spansOfTrace;
  const failing = sql`throwIf(length(${raw}) > ${most}, 'a trace has more than ${most} spans, too many to find its critical path')`;
  const checked = sql`arrayResize(${raw}, length(${raw}) + ${failing})`;
  const sorted = sql`arraySort(x -> (x.1, x.3, -x.4), ${checked})`;
  const before = sql`arrayPushFront(arrayPopBack(${sorted}), (toUInt64(0), toUInt64(0), toInt64(0), toInt64(0)))`;
  return sql`arrayFilter((x, y) -> x.1 != y.1, ${sorted}, ${before})`;
}

/** (index, begin, end) of the parent of each span; the index is 0 if there is none. */
function parentsOf(spans: Sql): Sql {
  const known = sql`arrayMap((x, i) -> (x.1, toUInt32(0), i, x.3, x.4), ${spans}, arrayEnumerate(${spans}))`;
  const asked = sql`arrayMap((x, i) -> (if(x.2 = x.1, 0, x.2), i, toUInt32(0), toInt64(0), toInt64(0)), ${spans}, arrayEnumerate(${spans}))`;
  const both = sql`arraySort(x -> (x.1, x.2), arrayConcat(${known}, ${asked}))`;
  const none = sql`(toUInt32(0), toInt64(0), toInt64(0))`;
  return answers(both, sql`(m, f) -> (m.2, if(f.2 = 0 AND f.1 = m.1, (f.3, f.4, f.5), ${none}))`);
}

/**
 * The results of lookups, in their order. In a list sorted by key, the entry of a key (second element 0) comes before the
 * lookups of this key (second element: their number), which take its value.
 */
function answers(sorted: Sql, answer: Sql): Sql {
  const filled = sql`arrayFill(x -> x.2 = 0, ${sorted})`;
  const all = sql`arrayMap(${answer}, ${sorted}, ${filled})`;
  return sql`arrayMap(z -> z.2, arraySort(z -> z.1, arrayFilter(z -> z.1 > 0, ${all})))`;
}

/** The longest of the spans without a parent in the list; among equals, the first to begin. */
function rootOf(spans: Sql, parents: Sql): Sql {
  return sql`arraySort(x -> (x.3 - x.4, x.3, x.1), arrayFilter((x, u) -> u.1 = 0, ${spans}, ${parents}))[1]`;
}

/**
 * (ancestor, from, until, depth) of each span: the part of it that lies inside all its ancestors. Each round goes twice
 * as far up as the one before. If all spans lie inside their parents, no round is needed.
 */
function inherited(spans: Sql, parents: Sql): Sql {
  const isInside = sql`u.1 = 0 OR (x.4 <= u.3 AND x.3 >= u.2 AND (x.3 != u.2 OR x.4 != u.3))`;
  const rounds = sql`if(arrayAll((x, u) -> ${isInside}, ${spans}, ${parents}), 0, toUInt8(ceil(log2(length(${spans}) + 1))))`;
  const first = sql`arrayMap((x, u) -> (u.1, x.3, x.4, toUInt64(u.1 > 0)), ${spans}, ${parents})`;
  const known = sql`arrayMap((a, i) -> (i, toUInt32(0), a), acc, arrayEnumerate(acc))`;
  const asked = sql`arrayMap((a, i) -> (a.1, i, a), acc, arrayEnumerate(acc))`;
  const both = sql`arraySort(x -> (x.1, x.2), arrayConcat(${known}, ${asked}))`;
  const joined = sql`(f.3.1, greatest(m.3.2, f.3.2), least(m.3.3, f.3.3), m.3.4 + f.3.4)`;
  const round = answers(both, sql`(m, f) -> (m.2, if(m.1 = 0, m.3, ${joined}))`);
  return sql`arrayFold((acc, r) -> ${round}, range(${rounds}), ${first})`;
}

/** (id, parent, from, until) of the spans that may be on the path: the last to end first, parents before children. */
function inOrder(spans: Sql, parents: Sql, parts: Sql, root: Sql): Sql {
  const row = sql`(x.1, if(u.1 = 0, 0, x.2), a.2, a.3, a.4, x.4, x.3)`;
  const rows = sql`arrayMap((x, a, u) -> ${row}, ${spans}, ${parts}, ${parents})`;
  const possible = sql`arrayFilter(v -> v.1 = ${root}.1 OR (v.2 != 0 AND v.3 < v.4), ${rows})`;
  return sql`arraySort(v -> (-v.4, v.5, -v.6, v.7, v.1), ${possible})`;
}

/**
 * The stack (ids and begins), then a list of spans and one of times: each span of the path adds its time to itself and
 * subtracts it from its parent. At the bottom of the stack is the root's parent: 0.
 */
function walked(order: Sql): Sql {
  const left = sql`arrayCount(z -> z < e, acc.2)`;
  const isNext = sql`(acc.1[${left}] = p)`;
  const pushed = (stack: Sql, value: Sql) =>
    sql`arrayResize(arrayResize(${stack}, ${left}), ${left} + ${isNext}, ${value})`;
  const added = (list: Sql, own: Sql, ofParent: Sql) =>
    sql`arrayResize(arrayResize(${list}, length(${list}) + ${isNext}, ${own}), length(${list}) + 2 * ${isNext}, ${ofParent})`;
  const stacks = sql`${pushed(sql`acc.1`, sql`i`)}, ${pushed(sql`acc.2`, sql`f`)}`;
  const lists = sql`${added(sql`acc.3`, sql`i`, sql`p`)}, ${added(sql`acc.4`, sql`e - f`, sql`f - e`)}`;
  const start = sql`([toUInt64(0)], [toInt64(-9223372036854775807)], []::Array(UInt64), []::Array(Int64))`;
  return sql`arrayFold((acc, i, p, f, e) -> (${stacks}, ${lists}), ${order}.1, ${order}.2, ${order}.3, ${order}.4, ${start})`;
}
