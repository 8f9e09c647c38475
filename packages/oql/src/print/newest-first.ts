import type { Order } from '../plan/plan.ts';
import type { ColumnId, Sql } from '../sql/sql.ts';
import type { Block } from './block.ts';

/**
 * The order keys, after the workspace, of tables whose rows are read newest first. The oldest time among any `count` matching
 * rows is a lower bound for the newest `count` rows, and rows at the end of the order key are read without scanning others.
 */
const orderKeys: Readonly<Record<string, readonly string[]>> = {
  spans: ['toStartOfFiveMinutes(time)', 'service', 'name', 'time'],
  logs: ['toStartOfFiveMinutes(time)', 'service', 'time'],
};

/** More rows than this reach far back anyway. */
const MOST_ROWS = 10_000;

interface NewestFirst {
  readonly table: string;
  readonly count: number;
}

/**
 * Whether a block requests the newest rows of a table, and how many. Only if all conditions are on the order key: others
 * may match no row, and would then be searched twice.
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

/** A condition that excludes rows older than the newest ones, in addition to the given conditions. */
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
