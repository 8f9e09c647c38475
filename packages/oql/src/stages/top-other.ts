import type { Context } from '../check/context.ts';
import type { Column, Relation } from '../check/relation.ts';
import { store } from '../check/store.ts';
import { tagged, taggedValue } from '../check/tagged.ts';
import type { Value } from '../check/value.ts';
import { over } from '../check/windows.ts';
import type { Definition, Order, Plan } from '../plan/plan.ts';
import { type AggregateCall, aggregate, type ColumnId, column, list, type Sql, sql } from '../sql/sql.ts';
import type { StageOf } from '../syntax/ast.ts';
import { ordersOf } from './order.ts';

type Grouped = Extract<Plan, { readonly op: 'aggregate' }>;

/**
 * Ranks the groups by totals over the whole window (of each bucket, within the time), names each group below the last rank
 * `(other)`, and merges the states of the aggregates. So a p95 of the others is a p95 of their rows, from one pass over the data.
 */
export function foldOthers(
  stage: StageOf<'top'>,
  input: Relation,
  orders: readonly Order[],
  count: number,
  ctx: Context,
): Relation {
  const { plan } = input;
  if (plan.op !== 'aggregate' || plan.keys.length === 0) {
    if (!input.unknown) ctx.error('NOT_AVAILABLE', stage, '`other` must come right after a `stats … by …`.');
    return input;
  }
  const keyColumns = input.columns.slice(0, plan.keys.length);
  const within = stage.within.map((path) => path.segments.join('.'));
  const groupKeys = groupKeysOf(stage, input, keyColumns, within, ctx);
  if (groupKeys === undefined) return input;
  const states = new States(plan, ctx);
  const keysWhere = (test: (name: string) => boolean) =>
    plan.keys.filter((_, i) => test(keyColumns[i]?.name ?? '')).map(({ id }) => column(id));
  const isInBuckets = input.bucket !== undefined && within.includes(input.bucket.column);
  const partition = keysWhere((name) => isInBuckets || name !== input.bucket?.column);
  const groups = keysWhere((name) => within.includes(name));
  const totals = orders.map(({ value, descending }) => ({
    descending,
    definition: { id: ctx.fresh(), value: states.total(value, input.bucket && !isInBuckets ? partition : undefined) },
  }));
  const rank = ctx.fresh();
  const ranking = [
    ...totals.map(({ definition, descending }) =>
      descending ? sql`${column(definition.id)} DESC` : column(definition.id),
    ),
    ...partition,
  ];
  const ranked: Plan = {
    op: 'window',
    input: { op: 'window', input: states.grouped(), columns: totals.map((total) => total.definition) },
    columns: [{ id: rank, value: over(sql`dense_rank()`, { partition: groups, order: list(ranking) }) }],
  };

  const isTop = sql`(${column(rank)} <= ${count})`;
  const stored = keyColumns.map((key) => ({
    name: key.name,
    ...store(groupKeys.includes(key) ? named(key.value, isTop) : key.value, ctx.fresh),
  }));
  const keys = stored.map(({ definition }) => definition);
  const columns = stored.map(({ name, value }): Column => ({ name, value }));
  const merged = plan.aggregates.map(({ id, value }): Definition => ({ id, value: states.merged(value) }));
  const place = ctx.fresh();
  const aggregates = [...merged, { id: place, value: aggregate('min', [sql`least(${column(rank)}, ${count + 1})`]) }];
  const folded: Plan = { op: 'aggregate', input: ranked, keys, aggregates };
  const [bucketKey] = columns.filter((key) => key.name === input.bucket?.column);
  const byTime = bucketKey ? [{ value: bucketKey.value.sql, descending: false }] : [];
  const byGroup = columns.filter(({ name }) => within.includes(name)).flatMap(({ value }) => ordersOf(value, false));
  return {
    ...input,
    plan: { op: 'sort', input: folded, orders: [...byTime, ...byGroup, { value: column(place), descending: false }] },
    columns: [...columns, ...input.columns.slice(plan.keys.length)],
    sorted: true,
    ...(bucketKey ? { time: bucketKey.value } : {}),
  };
}

/** The keys whose values are folded; undefined after an error. */
function groupKeysOf(
  stage: StageOf<'top'>,
  input: Relation,
  keyColumns: readonly Column[],
  within: readonly string[],
  ctx: Context,
): Column[] | undefined {
  const stranger = within.find((name) => !keyColumns.some((key) => key.name === name));
  if (stranger !== undefined) {
    ctx.error(
      'NOT_AVAILABLE',
      stage,
      `With \`other\`, \`within\` names keys of the groups, and \`${stranger}\` is not one.`,
    );
    return undefined;
  }
  const groupKeys = keyColumns.filter((key) => key.name !== input.bucket?.column && !within.includes(key.name));
  if (groupKeys.length === 0) {
    ctx.error(
      'NOT_AVAILABLE',
      stage,
      '`other` needs a key besides the time, to separate the top ones from the others.',
    );
    return undefined;
  }
  return groupKeys;
}

/** The value of a key in the top groups; in the others `(other)` if it is text, otherwise null. */
function named(key: Value, isTop: Sql): Value {
  if (key.type === 'string') {
    return { type: 'string', sql: sql`if(${isTop}, ${key.sql}, '(other)')`, nullable: key.nullable };
  }
  if (key.type === 'any') return taggedValue(sql`if(${isTop}, ${tagged(key)}, 's(other)')`);
  return { type: key.type, sql: sql`if(${isTop}, ${key.sql}, NULL)`, nullable: true };
}

/** The aggregates of a grouping in three forms: state, result of one group, merged over several. */
class States {
  readonly #plan: Grouped;
  readonly #ctx: Context;
  readonly #ids = new Map<AggregateCall, ColumnId>();

  constructor(plan: Grouped, ctx: Context) {
    this.#plan = plan;
    this.#ctx = ctx;
    for (const { value } of plan.aggregates) this.#collect(value);
  }

  #collect(expression: Sql): void {
    if (expression.kind === 'aggregate') this.#ids.set(expression, this.#ctx.fresh());
    else if (expression.kind === 'text') for (const arg of expression.args) this.#collect(arg);
  }

  /** The grouping, with the states of its aggregates. */
  grouped(): Plan {
    const aggregates = [...this.#ids].map(
      ([call, id]): Definition => ({ id, value: { ...call, fn: `${call.fn}State` } }),
    );
    return { ...this.#plan, aggregates };
  }

  merged(expression: Sql): Sql {
    return this.#replace(expression, (call, state) => aggregate(`${call.fn}Merge`, [state], call.parameters));
  }

  /** An expression over the columns of the grouping, for one group or over all rows of a partition. */
  total(expression: Sql, partition: readonly Sql[] | undefined): Sql {
    return this.#replace(this.#inline(expression), (call, state) =>
      partition
        ? sql`${aggregate(`${call.fn}Merge`, [state], call.parameters)} OVER (PARTITION BY ${list(partition)})`
        : sql`finalizeAggregation(${state})`,
    );
  }

  #inline(expression: Sql): Sql {
    if (expression.kind === 'column') {
      return this.#plan.aggregates.find(({ id }) => id === expression.id)?.value ?? expression;
    }
    if (expression.kind !== 'text') return expression;
    return { ...expression, args: expression.args.map((arg) => this.#inline(arg)) };
  }

  #replace(expression: Sql, by: (call: AggregateCall, state: Sql) => Sql): Sql {
    if (expression.kind === 'aggregate') {
      const id = this.#ids.get(expression);
      return id === undefined ? expression : by(expression, column(id));
    }
    if (expression.kind !== 'text') return expression;
    return { ...expression, args: expression.args.map((arg) => this.#replace(arg, by)) };
  }
}
