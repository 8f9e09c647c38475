/**
 * Recent points: a metric that is queried repeatedly is loaded from the store into a thread and then fed by the ingest
 * worker before each insert. Queries that its points can answer (`packages/oql/src/recent`) are answered there; all
 * others go to the store.
 */

export type { Place } from './keeping-rules.ts';
export type { ReadRows } from './points-store.ts';
export type { FromFeed, RecentRows } from './protocol.ts';
export { createRecentPoints, type PointFeed, type RecentPoints, type RecentState } from './recent-points.ts';
