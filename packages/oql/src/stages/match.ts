import type { Context } from '../check/context.ts';
import { checkCondition } from '../check/expression.ts';
import { liftRelation } from '../check/lift.ts';
import type { Relation } from '../check/relation.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { keep } from '../check/store.ts';
import { condition, type Value } from '../check/value.ts';
import type { Definition, Plan } from '../plan/plan.ts';
import { aggregate, all, column, identifier, type Sql, some, sql } from '../sql/sql.ts';
import type { ShapeOperator, StageOf } from '../syntax/ast.ts';
import { LIMITS } from '../syntax/guard.ts';
import type { StageDefinition } from './definition.ts';
import { matchLinked } from './match-linked.ts';

export const match: StageDefinition<'match'> = {
  kind: 'match',
  syntax: 'match [NAME]{CONDITION} OPERATOR [NAME]{CONDITION} …',
  doc: 'Finds spans by their place in their trace: `>>` means ancestor, `>` parent, `~` sibling, `->` linked from. Returns one row for each span that matches the last pattern, with the nearest spans that match the other patterns under their names.',
  examples: [
    'spans | match a{service.name == "frontend"} >> b{status == error} | stats n=count(), traces=count_distinct(trace_id) by b.name',
    'spans | match a{kind == server} > {kind == client} > b{kind == server} | stats n=count() by a.service.name, b.service.name',
  ],
  check(stage, input, ctx) {
    const found = matchedInput(stage, input, ctx);
    if (!found) return { ...input, unknown: true };
    const { rows, conditions } = found;
    if (!stage.operators.includes('->')) return matchInTrace(stage, rows, conditions, ctx);
    if (stage.operators.length === 1) return matchLinked(stage, rows, conditions, ctx);
    ctx.error('NOT_AVAILABLE', stage, '`->` takes exactly two patterns.');
    return { ...input, unknown: true };
  },
};

/** A match follows all spans of a trace, also those that an earlier `where` excludes: the `where` only narrows the patterns. */
function matchedInput(stage: StageOf<'match'>, input: Relation, ctx: Context) {
  if (stage.nodes.length > LIMITS.shapes) {
    ctx.error('INVALID_VALUE', stage, `\`match\` takes at most ${LIMITS.shapes} patterns.`);
    return undefined;
  }
  const conditions = stage.nodes.map(({ predicate }) => checkCondition(predicate, rowsOf(input, ctx)));
  let { plan } = input;
  const filters: Sql[] = [];
  while (plan.op === 'filter') {
    filters.push(plan.predicate);
    plan = plan.input;
  }
  const plain =
    plan.op === 'scan' && plan.table === 'spans' && input.rows?.signal === 'spans' && input.columns.length === 0;
  if (!plain) {
    if (!input.unknown) ctx.error('NOT_ON_SOURCE', stage, '`match` must come right after `spans` and its `where`.');
    return undefined;
  }
  const named = new Set<string>();
  for (const { name } of stage.nodes) {
    if (name && named.has(name.text)) ctx.error('DUPLICATE_NAME', name, `Duplicate pattern name: \`${name.text}\`.`);
    if (name) named.add(name.text);
  }
  if (conditions.some((one) => one.broken)) return undefined;
  return {
    rows: { ...input, plan },
    conditions: conditions.map((one) => all([...filters, condition(one)])),
  };
}

/** Names inside one trace's arrays; `i` and `j` are indexes of spans in them, 0 means none. */
const local = (name: string, n: number): Sql => identifier(`${name}${n}`);

/**
 * Collects all spans of each trace that has a match for every pattern, as arrays ordered by span id, so that a parent is found
 * by binary search. A span that matches pattern k+1 gets the index of its nearest partner for pattern k. Ancestors are followed
 * in steps that double, so the number of steps is the logarithm of the depth.
 */
function matchInTrace(stage: StageOf<'match'>, input: Relation, conditions: readonly Sql[], ctx: Context): Relation {
  const field = (name: string): Value => input.rows?.intrinsic(name) ?? { type: 'any', sql: sql`NULL`, nullable: true };
  const raw = (name: string): Sql => field(name).id?.sql ?? field(name).sql;
  const arrays: Definition[] = [];
  const gathered = (of: Sql): Sql => {
    const id = ctx.fresh();
    arrays.push({ id, value: aggregate('groupArray', [of]) });
    return column(id);
  };
  const ids = gathered(asNumber(raw('span_id')));
  const sortedDefinitions: Definition[] = [];
  const sorted = (array: Sql): Sql => {
    const id = ctx.fresh();
    sortedDefinitions.push({ id, value: array });
    return column(id);
  };
  const byId = (array: Sql): Sql => sorted(sql`arraySort((x, k) -> k, ${array}, ${ids})`);
  const idArray = sorted(sql`arraySort(${ids})`);
  const parentIds = byId(gathered(asNumber(raw('parent_span_id'))));
  const fits = conditions.map((one) => byId(gathered(one)));

  const steps: Definition[] = [];
  const step = (value: Sql): Sql => {
    const id = ctx.fresh();
    steps.push({ id, value });
    return column(id);
  };
  const parents = step(sql`arrayMap(p -> indexOfAssumeSorted(${idArray}, p), ${parentIds})`);
  const partners: Sql[] = [];
  let fitting = fits[0] ?? sql`[]`;
  stage.operators.forEach((operator, k) => {
    const partner = step(partnerOf(operator, fitting, fits[k + 1] ?? sql`[]`, parents));
    partners.push(partner);
    fitting = step(sql`arrayMap(p -> p > 0, ${partner})`);
  });
  const places = step(sql`arrayFilter((i, f) -> f, arrayEnumerate(${idArray}), ${fitting})`);
  // The index of each pattern's span, for each match: from the last pattern back to the first.
  const indexes: Sql[] = [places];
  for (const partner of partners.toReversed())
    indexes.unshift(step(sql`arrayMap(i -> ${partner}[i], ${indexes[0] ?? places})`));

  const traceKey = ctx.fresh();
  const grouped: Plan = {
    op: 'aggregate',
    input: withCandidates(input.plan, raw('trace_id'), conditions, ctx),
    keys: [{ id: traceKey, value: raw('trace_id') }],
    aggregates: arrays,
  };
  const unnested: Definition[] = [];
  const plan: Plan = {
    op: 'unnest',
    input: { op: 'extend', input: { op: 'extend', input: grouped, columns: sortedDefinitions }, columns: steps },
    columns: unnested,
  };
  const unnest = (array: Sql): Sql => {
    const id = ctx.fresh();
    unnested.push({ id, value: array });
    return column(id);
  };
  // At least one column is needed to produce the rows.
  unnest(places);
  const liftAt =
    (index: Sql) =>
    (value: Value): Value => {
      const kept = keep(value);
      // In a tuple, since arrays of aggregates drop nulls.
      const values = byId(sql`arrayMap(t -> t.1, ${gathered(sql`tuple(${kept.sql})`)})`);
      return kept.restore(unnest(sql`arrayMap(i -> ${values}[i], ${index})`));
    };
  const beside = new Map<string, Relation>();
  stage.nodes.forEach(({ name }, k) => {
    if (name) beside.set(name.text, liftRelation({ ...input, columns: [] }, liftAt(indexes[k] ?? places)));
  });
  const lift = liftAt(places);
  const weight = input.weight ? lift({ type: 'float', sql: input.weight, nullable: false }).sql : undefined;
  const time = input.time ? lift(input.time) : undefined;
  return {
    ...liftRelation({ ...input, columns: [] }, lift),
    plan,
    beside,
    ...(weight ? { weight } : {}),
    ...(time ? { time } : {}),
  };
}

/** The eight bytes of a span's id as a number: same order, but collected, sorted and compared in half the time. */
function asNumber(id: Sql): Sql {
  return sql`byteSwap(reinterpretAsUInt64(${id}))`;
}

/** For each span that matches the right pattern, the index of its nearest partner on the left; 0 for all others. */
function partnerOf(operator: ShapeOperator, left: Sql, right: Sql, parents: Sql): Sql {
  const i = local('i', 1);
  switch (operator) {
    case '>':
      return sql`arrayMap((f, p) -> if(f AND p > 0 AND ${left}[p], p, 0), ${right}, ${parents})`;
    case '~':
      return sql`arrayMap((f, p, ${i}) -> if(f AND p > 0, arrayFirstIndex((q, l, j) -> q = p AND l AND j != ${i}, ${parents}, ${left}, arrayEnumerate(${parents})), 0), ${right}, ${parents}, arrayEnumerate(${parents}))`;
    default: {
      // (nearest matching ancestor, ancestor 2^k above), for k = 0, 1, …
      const start = sql`(arrayMap(p -> if(p > 0 AND ${left}[p], p, 0), ${parents}), ${parents})`;
      const next = sql`(arrayMap((n, u) -> if(n > 0 OR u = 0, n, acc.1[u]), acc.1, acc.2), arrayMap(u -> if(u = 0, 0, acc.2[u]), acc.2))`;
      const doublings = sql`range(toUInt64(ceil(log2(length(${parents}) + 1))))`;
      return sql`arrayMap((n, f) -> if(f, n, 0), arrayFold((acc, k) -> ${next}, ${doublings}, ${start}).1, ${right})`;
    }
  }
}

/** The spans of the traces that have a match for every pattern. */
function withCandidates(plan: Plan, traceId: Sql, conditions: readonly Sql[], ctx: Context): Plan {
  const id = ctx.fresh();
  const candidates: Plan = {
    op: 'filter',
    input: {
      op: 'aggregate',
      input: { op: 'filter', input: plan, predicate: some(conditions) },
      keys: [{ id, value: traceId }],
      aggregates: [],
    },
    predicate: all(conditions.map((one) => sql`(${aggregate('countIf', [one])} > 0)`)),
  };
  return {
    op: 'filter',
    input: plan,
    predicate: sql`(${traceId} IN ${{ kind: 'query', plan: candidates, columns: [id] }})`,
  };
}
