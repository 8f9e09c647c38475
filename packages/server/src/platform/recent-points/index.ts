export type { Place } from './keeping-rules.ts';
export type { ReadRows } from './points-store.ts';
export type { FromFeed, RecentRows } from './protocol.ts';
export { createRecentPoints, type PointFeed, type RecentPoints, type RecentState } from './recent-points.ts';
