import { zeroId } from '../check/store.ts';
import { type Plan, type Scan, scanColumn, type Window } from '../plan/plan.ts';
import { aggregate, all, type ColumnId, column, int64, type Sql, sql } from '../sql/sql.ts';
import { columnsOf, expressionsOf, inputsOf, withInputs } from './columns.ts';
import { conjuncts } from './push-filters.ts';

/** The column of spans that no table has: this rule computes it. */
export const SELF_TIME = 'self_time';

/** How far outside of the window the children of a span are looked for: ten minutes. */
const MARGIN_NS = 600_000_000_000n;

/**
 * Gives `self_time` to the scans that are asked for it. The children of the spans are read a second time, with the same
 * tenant and a wider window, and looked up by trace and parent. Where nothing reads the column, nothing is looked up.
 */
export function lookUpSelfTime(plan: Plan, read: ReadonlySet<ColumnId>, fresh: () => ColumnId): Plan {
  const conditions: Sql[] = [];
  let source = plan;
  while (source.op === 'filter') {
    conditions.unshift(...conjuncts(source.predicate));
    source = source.input;
  }
  const self = source.op === 'scan' ? source.columns.get(SELF_TIME) : undefined;
  if (source.op === 'scan' && self !== undefined) {
    const isRead = read.has(self) || conditions.some((one) => columnsOf(one).has(self));
    return isRead ? withSelfTime(source, self, conditions, fresh) : filtered(without(source), conditions);
  }
  const below = new Set(read);
  for (const expression of expressionsOf(plan)) columnsOf(expression, below);
  return withInputs(
    plan,
    inputsOf(plan).map((input) => lookUpSelfTime(input, below, fresh)),
  );
}

function withSelfTime(scan: Scan, self: ColumnId, conditions: readonly Sql[], fresh: () => ColumnId): Plan {
  const own = without(scan);
  const read = (name: string) => column(scanColumn(own, name, fresh));
  const isAboutSelf = (condition: Sql) => columnsOf(condition).has(self);
  const before = conditions.filter((condition) => !isAboutSelf(condition));
  const spans = filtered(own, before);
  const trace = scanColumn(own, 'trace_id', fresh);
  const wanted: Sql | undefined = before.length > 0 ? { kind: 'query', plan: spans, columns: [trace] } : undefined;
  const children = childrenOf(scan, wanted, fresh);
  const joined: Plan = {
    op: 'join',
    mode: 'left',
    lookup: true,
    left: spans,
    right: children.plan,
    on: [
      { left: column(trace), right: children.trace },
      { left: read('span_id'), right: children.parent },
    ],
  };
  const value = selfTime(read, children.intervals, seenOf(scan.window).toNs);
  return filtered({ op: 'extend', input: joined, columns: [{ id: self, value }] }, conditions.filter(isAboutSelf));
}

/** When the children of each span began and ended, by trace and parent; of the traces that are wanted. */
function childrenOf(of: Scan, traces: Sql | undefined, fresh: () => ColumnId) {
  const scan: Scan = { op: 'scan', table: 'spans', window: seenOf(of.window), columns: new Map() };
  const read = (name: string) => column(scanColumn(scan, name, fresh));
  // A span that names itself as its parent is no child of its own.
  const isChild = sql`(${read('parent_span_id')} != ${zeroId(8)} AND ${read('parent_span_id')} != ${read('span_id')})`;
  const isWanted = traces ? [sql`(${read('trace_id')} IN ${traces})`] : [];
  const [trace, parent, intervals] = [fresh(), fresh(), fresh()];
  const interval = sql`tuple(${beginOf(read)}, ${endOf(read)})`;
  const plan: Plan = {
    op: 'aggregate',
    input: { op: 'filter', input: scan, predicate: all([isChild, ...isWanted]) },
    keys: [
      { id: trace, value: read('trace_id') },
      { id: parent, value: read('parent_span_id') },
    ],
    aggregates: [{ id: intervals, value: aggregate('groupArray', [interval]) }],
  };
  return { plan, trace: column(trace), parent: column(parent), intervals: column(intervals) };
}

/** A child that began later than what is read might be missed: of a span that lasts so long it is not known. */
function selfTime(read: (name: string) => Sql, children: Sql, seenUntilNs: bigint): Sql {
  const [begin, end] = [beginOf(read), endOf(read)];
  const begins = sql`arrayMap(x -> least(greatest(x.1, ${begin}), ${end}), ${children})`;
  const ends = sql`arrayMap(x -> greatest(least(x.2, ${end}), ${begin}), ${children})`;
  const covered = sql`toInt64(arrayReduce('intervalLengthSum', ${begins}, ${ends}))`;
  return sql`if(${end} > ${int64(seenUntilNs)}, NULL, ${end} - ${begin} - ${covered})`;
}

function beginOf(read: (name: string) => Sql): Sql {
  return sql`toUnixTimestamp64Nano(${read('time')})`;
}

function endOf(read: (name: string) => Sql): Sql {
  return sql`(toUnixTimestamp64Nano(${read('time')}) + toInt64(${read('duration')}))`;
}

function seenOf({ fromNs, toNs }: Window): Window {
  return { fromNs: fromNs > MARGIN_NS ? fromNs - MARGIN_NS : 0n, toNs: toNs + MARGIN_NS };
}

function without(scan: Scan): Scan {
  return { ...scan, columns: new Map([...scan.columns].filter(([name]) => name !== SELF_TIME)) };
}

function filtered(input: Plan, conditions: readonly Sql[]): Plan {
  return conditions.length > 0 ? { op: 'filter', input, predicate: all(conditions) } : input;
}
