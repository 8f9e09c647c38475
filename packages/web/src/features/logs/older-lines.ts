import type { OqlAnswer, Result } from '../../telemetry/oql.ts';
import { toDate } from '../../ui/format/index.ts';

/** Where the lines before a page are: at this millisecond or earlier. */
export interface OlderThan {
  /** Epoch milliseconds, inclusive. */
  readonly last: number;
  /** Start of the window in epoch milliseconds, as it was for the first page. */
  readonly from: number;
}

/** Lines of a full page: of the first one, and of those after it, which have at least as many. */
export interface PageLines {
  readonly first: number;
  readonly next: number;
}

/** Whether lines are missing after the last page: more lines than fit a page have the same time. */
export function isCrowded(pages: readonly OqlAnswer[], lines: PageLines): boolean {
  return isFull(pages, lines) && olderThan(pages, lines) === undefined;
}

/**
 * Where to read on after pages of lines, newest first. Undefined after the last page, and where a whole page of the largest size
 * has one time, since no earlier time is known then.
 */
export function olderThan(pages: readonly OqlAnswer[], lines: PageLines): OlderThan | undefined {
  const last = pages.at(-1);
  const from = pages[0]?.window?.from;
  if (last === undefined || from === undefined || !isFull(pages, lines)) return undefined;
  const [newest, oldest] = [timeOf(last.result, 0), timeOf(last.result, last.result.rows.length - 1)];
  if (oldest === undefined) return undefined;
  const isLargest = pages.length > 1 || lines.first >= lines.next;
  return newest === oldest && isLargest ? undefined : { last: oldest, from };
}

function isFull(pages: readonly OqlAnswer[], { first, next }: PageLines): boolean {
  const last = pages.at(-1);
  return last !== undefined && (last.truncated || last.result.rows.length >= (pages.length === 1 ? first : next));
}

/**
 * All pages as one result. A page starts at the last millisecond of the page before, whose lines are in both: as many equal
 * lines as the earlier pages have of it are left out.
 */
export function joined(pages: readonly OqlAnswer[]): Result | undefined {
  const [first, ...others] = pages;
  if (first === undefined) return undefined;
  const rows = [...first.result.rows];
  for (const { result } of others) {
    const last = timeOf({ ...result, rows }, rows.length - 1);
    const seen = new Map<string, number>();
    for (let at = rows.length - 1; at >= 0 && timeOf({ ...result, rows }, at) === last; at--) {
      const key = JSON.stringify(rows[at]);
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
    let at = 0;
    for (; at < result.rows.length && timeOf(result, at) === last; at++) {
      const row = result.rows[at] ?? [];
      const key = JSON.stringify(row);
      const left = seen.get(key) ?? 0;
      if (left === 0) rows.push(row);
      else seen.set(key, left - 1);
    }
    // Lines of another time are in no page before; a hundred thousand are not to be compared.
    for (; at < result.rows.length; at++) rows.push(result.rows[at] ?? []);
  }
  return { ...first.result, rows };
}

function timeOf({ columns, rows }: Result, at: number): number | undefined {
  const time = rows[at]?.[columns.findIndex(({ name }) => name === 'time')];
  return typeof time === 'string' || typeof time === 'number' ? toDate(time)?.getTime() : undefined;
}
