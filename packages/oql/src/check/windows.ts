import type { Definition, Order, Plan } from '../plan/plan.ts';
import { type ColumnId, column, integer, list, type Sql, sql } from '../sql/sql.ts';
import type { Bucket, Relation } from './relation.ts';

/**
 * How window functions partition and order rows. Rows of one series are ordered by their bucket; rows without a
 * bucket by their time, or else as in the last `sort`.
 */
export interface Windows {
  /** What the rows before and after a row have in common with it: the keys besides its bucket, or the groups of `within`. */
  readonly series: readonly Sql[];
  /** What the rows that a row is compared with have in common with it: its bucket, or the groups of `within`. */
  readonly peers: readonly Sql[];
  /** What all rows of `over all` have in common: the groups of `within`, or nothing. */
  readonly all: readonly Sql[];
  /** The bucket's number: one more than that of the bucket before it, also if days have 23 or 25 hours. */
  readonly number?: Sql;
  /** The moment of a row in nanoseconds. */
  readonly moment?: Sql;
  readonly milliseconds?: Sql;
  /** The order of the rows; absent if they have none. */
  readonly order?: Sql;
  /** The order of the last `sort`; absent if there is none. */
  readonly sorted?: Sql;
  /** Why the rows have no order, and what to do about it. */
  readonly unordered: string;
}

/** The groups of `within`: their fields by name, and the values that the rows of a group have in common. */
export interface Groups {
  readonly names: readonly string[];
  readonly values: readonly Sql[];
}

const UNSORTED = 'these rows have no order: `sort` them first, or group them by `bucket(…)`';

/** How the rows of a relation are partitioned and ordered. */
export function windowsOf(relation: Relation, within?: Groups): Windows {
  const { bucket, keys = [], columns, rows, time } = relation;
  const named = (name: string | undefined) => columns.find((one) => one.name === name)?.value;
  const ofBucket = named(bucket?.column);
  const sorted = ordersOf(relation.plan);
  const inOrder = sorted ? { order: sorted, sorted } : {};
  if (bucket && ofBucket && !within?.names.includes(bucket.column)) {
    const others = keys.filter((key) => key !== bucket.column && named(key));
    const series = within?.values ?? others.flatMap((key) => named(key) ?? []).map(storedOf);
    const peers = within?.values ?? [ofBucket.sql];
    const apart = within ? others.filter((key) => !within.names.includes(key)) : [];
    const plain = {
      series,
      peers,
      all: within?.values ?? [],
      moment: nanoseconds(ofBucket.sql),
      ...(sorted ? { sorted } : {}),
    };
    if (apart.length > 0) {
      const written = apart.map((key) => `\`${key}\``).join(' and ');
      const unordered = `a group of \`within\` has several rows in each bucket: add ${written} to \`within\`, or leave it out of \`by\``;
      return { ...plain, unordered };
    }
    const number = numberOf(bucket, ofBucket.sql);
    return { ...plain, number, order: number, unordered: UNSORTED };
  }
  const all = within?.values ?? [];
  const groups = { series: all, peers: all, all, unordered: UNSORTED };
  if (time && !bucket && (rows || keys.length === 0)) {
    const moment = nanoseconds(time.sql);
    const milliseconds = sql`intDiv(${moment}, 1000000)`;
    return { ...groups, moment, milliseconds, order: moment, ...(sorted ? { sorted } : {}) };
  }
  return { ...groups, ...inOrder };
}

function storedOf({ id, enumeration, sql: plain }: { id?: { sql: Sql }; enumeration?: { code: Sql }; sql: Sql }): Sql {
  return id?.sql ?? enumeration?.code ?? plain;
}

function nanoseconds(time: Sql): Sql {
  return sql`toUnixTimestamp64Nano(toDateTime64(${time}, 9, 'UTC'))`;
}

function numberOf({ widthNs, calendar }: Bucket, time: Sql): Sql {
  return calendar ? calendar.number(time) : sql`intDiv(${nanoseconds(time)}, ${integer(widthNs)})`;
}

/** The last order that the rows of a plan were sorted by. */
function ordersOf(plan: Plan): Sql | undefined {
  switch (plan.op) {
    case 'sort':
      return list(plan.orders.map(written));
    case 'filter':
    case 'extend':
    case 'window':
    case 'limit':
    case 'distinct':
      return ordersOf(plan.input);
    default:
      return undefined;
  }
}

function written({ value, descending }: Order): Sql {
  return descending ? sql`${value} DESC` : value;
}

export interface Extent {
  readonly partition?: readonly Sql[];
  readonly order?: Sql;
  readonly rows?: Sql;
}

/** `OVER (…)` */
export function over(value: Sql, { partition = [], order, rows }: Extent): Sql {
  const by = partition.length > 0 ? sql`PARTITION BY ${list(partition)}` : sql``;
  const ordered = order ? sql` ORDER BY ${order}` : sql``;
  const frame = rows ? sql` ${rows}` : sql``;
  return sql`${value} OVER (${by}${ordered}${frame})`;
}

/** An expression with each of its aggregates replaced by `each`, which computes it over other rows. */
export function aggregatesOver(expression: Sql, each: (aggregate: Sql) => Sql): Sql {
  if (expression.kind === 'aggregate') return each(expression);
  if (expression.kind !== 'text') return expression;
  return { ...expression, args: expression.args.map((arg) => aggregatesOver(arg, each)) };
}

export const UP_TO_HERE = sql`ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW`;

export function lastRows(count: bigint): Sql {
  return sql`ROWS BETWEEN ${integer(count - 1n)} PRECEDING AND CURRENT ROW`;
}

/** The rows whose order, a whole number, is at most `span - 1` below that of the current row. */
export function lastSpan(span: bigint): Sql {
  return sql`RANGE BETWEEN ${integer(span - 1n)} PRECEDING AND CURRENT ROW`;
}

/** The row whose order is exactly `distance` below that of the current row. */
export function exactlyBefore(distance: bigint): Sql {
  return sql`RANGE BETWEEN ${integer(distance)} PRECEDING AND ${integer(distance)} PRECEDING`;
}

/** Columns computed from other rows, in as few steps as needed: one may use another. */
export class WindowColumns {
  readonly #layers: Definition[][] = [];
  readonly #layerOf = new Map<ColumnId, number>();
  readonly #fresh: () => ColumnId;
  readonly #columnsOf: (expression: Sql) => Iterable<ColumnId>;

  constructor(fresh: () => ColumnId, columnsOf: (expression: Sql) => Iterable<ColumnId>) {
    this.#fresh = fresh;
    this.#columnsOf = columnsOf;
  }

  add(value: Sql): Sql {
    let layer = 0;
    for (const id of this.#columnsOf(value)) layer = Math.max(layer, (this.#layerOf.get(id) ?? -1) + 1);
    const id = this.#fresh();
    this.#layerOf.set(id, layer);
    const definitions = this.#layers[layer] ?? [];
    this.#layers[layer] = [...definitions, { id, value }];
    return column(id);
  }

  over(plan: Plan): Plan {
    return this.#layers.reduce<Plan>((input, columns) => ({ op: 'window', input, columns }), plan);
  }
}
