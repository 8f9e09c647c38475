import type { Context } from '../check/context.ts';
import { type Relation, withColumn } from '../check/relation.ts';
import { over } from '../check/windows.ts';
import type { Plan, Scan } from '../plan/plan.ts';
import { aggregate, all, column, integer, list, moment, type Sql, sql } from '../sql/sql.ts';
import type { NumberLiteral } from '../syntax/ast.ts';
import { LIMITS } from '../syntax/guard.ts';
import type { StageDefinition } from './definition.ts';

/** How far outside of the time range records are read, so that matches at its ends have their neighbors too. */
const REACH = 300_000_000_000n;

/**
 * `grep -C`: the records before and after each match in its stream. A stream is all records of one resource: the same project, environment,
 * service and resource attributes.
 */
export const context: StageDefinition<'context'> = {
  kind: 'context',
  syntax: 'context COUNT [before [COUNT after] | after]',
  doc: `The records before and after each match, as \`grep -C\` shows lines: of the same stream, which is all records with the same project, environment and resource. Each record is returned once, oldest first; \`match\` says whether it is a match. The conditions before \`context\` choose the matches only. Matches are in the time range; their neighbors may be up to five minutes outside of it. At most ${LIMITS.contextRows} records on each side and ${LIMITS.contextMatches.toLocaleString('en')} matches; with more, the query fails.`,
  examples: [
    'logs | where severity >= error | context 5',
    'logs | where body has "timeout" | context 10 before | fields time, service.name, body, match',
    'logs | where severity >= error and service.name == "checkout" | context 5 before 2 after',
  ],
  check(stage, input, ctx) {
    const [before, after] = [stage.before, stage.after].map((count) => countOf(count, ctx));
    if (before === undefined || after === undefined) return { ...input, unknown: true };
    const { fromNs, toNs } = input.window;
    const wide = input.unknown ? undefined : ctx.again({ fromNs: fromNs - REACH, toNs: toNs + REACH });
    const rows = wide && conditionsOf(wide.plan);
    if (wide?.rows?.signal !== 'logs' || !rows) {
      const message =
        '`context` shows the records of `logs` around matches: put it right after the conditions, as in `logs | where severity >= error | context 5`.';
      if (!input.unknown) ctx.error('NOT_ON_SOURCE', stage, message);
      return { ...input, unknown: true };
    }
    const time = wide.rows.intrinsic('time')?.sql ?? sql`NULL`;
    const isInside = [sql`(${time} >= ${moment(fromNs)})`, sql`(${time} < ${moment(toNs)})`];
    const matches = all([...isInside, ...rows.conditions]);
    return withNeighbors(wide, rows.scan, matches, { before, after }, ctx);
  },
};

function countOf(count: NumberLiteral | undefined, ctx: Context): number | undefined {
  if (count === undefined) return 0;
  if (count.kind === 'int' && count.value > 0n && count.value <= LIMITS.contextRows) return Number(count.value);
  const message = `A number of records is a whole number from 1 to ${LIMITS.contextRows}.`;
  if (count.kind !== 'invalid') ctx.error('INVALID_VALUE', count, message);
  return undefined;
}

/** The scan of a plan that only filters its rows, and the conditions; undefined for other plans. */
function conditionsOf(plan: Plan): { readonly scan: Scan; readonly conditions: readonly Sql[] } | undefined {
  if (plan.op === 'scan') return { scan: plan, conditions: [] };
  if (plan.op !== 'filter') return undefined;
  const below = conditionsOf(plan.input);
  return below && { scan: below.scan, conditions: [...below.conditions, plan.predicate] };
}

/**
 * Finds the positions of the records first, from a few small columns, and reads the records themselves then: the window function would keep
 * all columns of all records of the streams.
 */
function withNeighbors(
  wide: Relation,
  scan: Scan,
  matches: Sql,
  { before, after }: { readonly before: number; readonly after: number },
  ctx: Context,
): Relation {
  const read = (name: string): Sql => {
    const known = scan.columns.get(name) ?? ctx.fresh();
    scan.columns.set(name, known);
    return column(known);
  };
  // The shape distinguishes records of the same nanosecond.
  const position = [
    sql`cityHash64(${list(['project', 'environment', 'service', 'resource_text'].map(read))})`,
    ...['time', 'observed_time', 'shape'].map(read),
  ];
  const stream = position[0] ?? matches;
  const [of, isMatch, ids] = [ctx.fresh(), ctx.fresh(), position.map(() => ctx.fresh())];
  const matching: Plan = {
    op: 'extend',
    input: { op: 'filter', input: scan, predicate: matches },
    columns: [{ id: of, value: stream }],
  };
  const streams: Plan = {
    op: 'extend',
    input: {
      op: 'filter',
      input: scan,
      predicate: sql`(${stream} IN ${{ kind: 'query', plan: matching, columns: [of] }})`,
    },
    columns: [...position.map((value, i) => ({ id: ids[i] ?? of, value })), { id: isMatch, value: sql`(${matches})` }],
  };
  const positions = positionsNear(streams, { ids, isMatch }, { before, after }, ctx);
  const chosen = sql`((${list(position)}) IN ${{ kind: 'query', plan: positions, columns: ids }})`;
  const kept: Plan = { op: 'filter', input: scan, predicate: chosen };
  const orders = [...position.slice(1), stream].map((value) => ({ value, descending: false }));
  // A sample of the matches has neighbors that stand for themselves only.
  const { weight: _, ...records } = wide;
  return {
    ...records,
    window: ctx.window,
    plan: { op: 'sort', input: kept, orders },
    columns: withColumn(wide.columns, {
      name: 'match',
      value: { type: 'bool', sql: sql`(${matches})`, nullable: false },
    }),
    sorted: true,
  };
}

/** The records of the streams that match, or stand near one that does. */
function positionsNear(
  streams: Plan,
  { ids, isMatch }: { readonly ids: readonly number[]; readonly isMatch: number },
  { before, after }: { readonly before: number; readonly after: number },
  ctx: Context,
): Plan {
  const [isNear, total] = [ctx.fresh(), ctx.fresh()];
  const [series, ...moments] = ids.map((id) => column(id));
  const rows = sql`ROWS BETWEEN ${integer(BigInt(after))} PRECEDING AND ${integer(BigInt(before))} FOLLOWING`;
  const near: Plan = {
    op: 'window',
    input: streams,
    columns: [
      {
        id: isNear,
        value: over(aggregate('max', [column(isMatch)]), {
          partition: series ? [series] : [],
          order: list(moments),
          rows,
        }),
      },
      { id: total, value: over(aggregate('countIf', [column(isMatch)]), {}) },
    ],
  };
  const most = LIMITS.contextMatches;
  const tooMany = sql`throwIf(${column(total)} > ${integer(BigInt(most))}, 'context: more than ${most} records match')`;
  return { op: 'filter', input: near, predicate: sql`(${column(isNear)} AND ${tooMany} = 0)` };
}
