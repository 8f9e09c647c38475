import type { FoldReason } from './answer.ts';
import type { Column, WhyInput } from './input.ts';

/** A value that fewer items share is no suspect. */
export const leastItems = 5;
/** A field is a consequence when at most this share of the items that have it is in the baseline. */
const mostBaseline = 0.01;

/**
 * Fields that OpenTelemetry's semantic conventions define as the outcome of an operation, and Fanion's own. They restate a
 * selection of errors, and explain nothing of others.
 */
const outcomes: ReadonlySet<string> = new Set([
  'status',
  'status.code',
  'status.message',
  'severity',
  'otel.status_code',
  'otel.status_description',
  'error',
  'error.type',
  'error.message',
  'exception.type',
  'exception.message',
  'exception.stacktrace',
  'http.response.status_code',
  'http.status_code',
  'rpc.grpc.status_code',
  'rpc.response.status_code',
  'db.response.status_code',
  'http.response.body.size',
]);

/** Why a field cannot explain the selection; undefined if it can. */
export function foldedBecause(column: Column, { items, defining }: WhyInput): FoldReason | undefined {
  if (defining.has(column.name)) return 'defines';
  if (outcomes.has(column.name)) return 'outcome';
  const sizes = new Int32Array(column.values.length);
  let selected = 0;
  let present = 0;
  for (let i = 0; i < items.count; i += 1) {
    const code = column.codes[i] ?? -1;
    if (code < 0) continue;
    sizes[code] = (sizes[code] ?? 0) + 1;
    present += 1;
    selected += items.selected[i] ?? 0;
  }
  if (present === 0) return undefined;
  if (isConsequence(selected, present, items)) return 'consequence';
  const rare = sizes.reduce((sum, count) => sum + (count < leastItems ? count : 0), 0);
  return rare > present / 2 ? 'nearly_unique' : undefined;
}

/** Whether only selected items have something, and the baseline is large enough to tell. */
export function isConsequence(selected: number, present: number, items: WhyInput['items']): boolean {
  let all = 0;
  for (let i = 0; i < items.count; i += 1) all += items.selected[i] ?? 0;
  return selected >= leastItems && present - selected <= present * mostBaseline && items.count - all >= present / 2;
}
