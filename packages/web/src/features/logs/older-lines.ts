import type { OqlAnswer, Result } from '../../telemetry/oql.ts';
import { toDate } from '../../ui/format/index.ts';

/** Where the lines before a page are: at this millisecond or earlier. */
export interface OlderThan {
  /** Epoch milliseconds, inclusive. */
  readonly last: number;
  /** Start of the window in epoch milliseconds, as it was for the first page. */
  readonly from: number;
}

/** Whether lines are missing after the last page although there is nowhere to read on: more than a page have one time. */
export function isCrowded(pages: readonly OqlAnswer[], limit: number): boolean {
  const [first, last] = [pages[0], pages.at(-1)];
  if (first === undefined || last === undefined) return false;
  return (last.result.rows.length >= limit || last.truncated) && olderThan(last, first, limit) === undefined;
}

/**
 * Where to read on after a page of lines, newest first. Undefined after the last page, and where a whole page has one
 * time, since no earlier time is known then.
 * @param limit lines of a full page
 */
export function olderThan(page: OqlAnswer, first: OqlAnswer, limit: number): OlderThan | undefined {
  const { rows } = page.result;
  if (rows.length < limit && !page.truncated) return undefined;
  const [newest, oldest] = [timeOf(page.result, 0), timeOf(page.result, rows.length - 1)];
  const from = first.window?.from;
  if (oldest === undefined || from === undefined || newest === oldest) return undefined;
  return { last: oldest, from };
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
    for (const row of result.rows) {
      const key = JSON.stringify(row);
      const left = seen.get(key) ?? 0;
      if (left === 0) rows.push(row);
      else seen.set(key, left - 1);
    }
  }
  return { ...first.result, rows };
}

function timeOf({ columns, rows }: Result, at: number): number | undefined {
  const time = rows[at]?.[columns.findIndex(({ name }) => name === 'time')];
  return typeof time === 'string' || typeof time === 'number' ? toDate(time)?.getTime() : undefined;
}
