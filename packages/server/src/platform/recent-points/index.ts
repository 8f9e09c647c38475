/**
 * Recent points: a metric that is queried repeatedly is loaded from the store into the ingest worker, which adds points before each insert.
 * Queries that its points can answer (`packages/oql/src/recent`) are answered there; all others go to the store.
 */

export type { Place } from './keeping-rules.ts';
export { type CallRecent, KeptMetrics, type RecentCalls } from './kept-metrics.ts';
export type { ReadRows } from './points-store.ts';
export { RecentPoints, type RecentState, type TimedRows } from './recent-points.ts';
