import type { Order } from '../plan/plan.ts';
import type { ColumnId, Sql } from '../sql/sql.ts';
import type { Block } from './block.ts';

/**
 * The order keys of tables whose rows are read newest first, behind the workspace. Any `count` rows that match tell a time
 * that none of the newest `count` lies before, and those at the end of the order key are read without looking at others.
 */
const orderKeys: Readonly<Record<string, readonly string[]>> = {
  spans: ['toStartOfFiveMinutes(time)', 'service', 'name', 'time'],
  logs: ['toStartOfFiveMinutes(time)', 'service', 'time'],
};

/** Beyond this, rows reach far back anyhow. */
const MOST_ROWS = 10_000;

interface NewestFirst {
  readonly table: string;
  readonly count: number;
}

/**
 * Whether a block asks for the newest rows of a table, and for how many. Only conditions on the order key count: others
 * might match no row, and would be looked for twice.
 */
export function newestFirst(block: Block): NewestFirst | undefined {
  const { source, limit, order, where, unnest, grouped, hasWindow, distinct, fill, having } = block;
  if (source.kind !== 'table' || limit === undefined || grouped || hasWindow || distinct || fill) return undefined;
  const { table, columns } = source.scan;
  const key = orderKeys[table];
  const count = limit.count + limit.offset;
  if (key === undefined || count > MOST_ROWS || unnest.length > 0 || having.length > 0) return undefined;
  const [first] = order;
  if (first === undefined || order.length > 1 || !isNewest(first, columns.get('time'))) return undefined;
  const known = new Set(key.flatMap((name) => columns.get(name) ?? []));
  return where.every((condition) => isOf(condition, known)) ? { table, count } : undefined;
}

/** The condition that leaves out what is older than the newest rows, beside those that the rows meet. */
export function notOlder({ table, count }: NewestFirst, conditions: readonly string[]): string {
  const order = (orderKeys[table] ?? []).map((column) => `${column} DESC`).join(', ');
  const some = `SELECT time FROM ${table} WHERE ${conditions.join(' AND ')} ORDER BY ${order} LIMIT ${count}`;
  return `time >= (SELECT if(count() < ${count}, toDateTime64(0, 9, 'UTC'), min(time)) FROM (${some}))`;
}

function isNewest({ value, descending }: Order, time: ColumnId | undefined): boolean {
  return descending && value.kind === 'column' && value.id === time;
}

function isOf(expression: Sql, known: ReadonlySet<ColumnId>): boolean {
  switch (expression.kind) {
    case 'column':
      return known.has(expression.id);
    case 'parameter':
      return true;
    case 'text':
      return expression.args.every((arg) => isOf(arg, known));
    case 'aggregate':
    case 'query':
      return false;
  }
}
