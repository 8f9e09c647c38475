import type { PageQuery } from '@fanion/contract';
import { fail } from '../platform/fail.ts';
import { isId } from '../platform/ids.ts';
import { page, type Reply } from './context.ts';

/** Cursors are opaque to clients: the sort key of the last row of a page. */
function encodeCursor(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url');
}

/** Throws `INVALID_CURSOR` for a cursor that `encodeCursor` cannot have made or that `accepts` rejects. */
export function decodeCursor(cursor: string | undefined, accepts: (key: string) => boolean): string | undefined {
  if (cursor === undefined) return undefined;
  const key = Buffer.from(cursor, 'base64url').toString('utf8');
  if (encodeCursor(key) !== cursor || !accepts(key)) throw fail('INVALID_CURSOR');
  return key;
}

/** Cuts `limit + 1` rows down to a page and returns the cursor of the next page. */
export function cutPage<T>(
  rows: readonly T[],
  limit: number,
  keyOf: (row: T) => string,
): { items: T[]; nextCursor: string | null } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? encodeCursor(keyOf(last)) : null };
}

/**
 * A page of rows in the order of their ids.
 *
 * @param read reads up to `limit` rows behind the one with the id `after`
 */
export async function pageById<T extends { readonly id: string }>(
  { limit, cursor }: Pick<PageQuery, 'limit' | 'cursor'>,
  read: (page: { readonly after: string | undefined; readonly limit: number }) => Promise<readonly T[]>,
): Promise<Reply<readonly T[]>> {
  const rows = await read({ after: decodeCursor(cursor, isId), limit: limit + 1 });
  const { items, nextCursor } = cutPage(rows, limit, ({ id }) => id);
  return page(items, nextCursor);
}

/** A page of a list that is short enough to be in memory. Throws `INVALID_CURSOR` for one whose row is gone. */
export function pageOf<T>(
  all: readonly T[],
  { limit, cursor }: Pick<PageQuery, 'limit' | 'cursor'>,
  keyOf: (row: T) => string,
): Reply<readonly T[]> {
  const after = decodeCursor(cursor, (key) => all.some((row) => keyOf(row) === key));
  const start = after === undefined ? 0 : all.findIndex((row) => keyOf(row) === after) + 1;
  const { items, nextCursor } = cutPage(all.slice(start), limit, keyOf);
  return page(items, nextCursor);
}
