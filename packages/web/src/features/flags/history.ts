import type { listHistory, RouteResponse } from '@fanion/contract';

export type HistoryEntry = RouteResponse<typeof listHistory>[number];

/** The version that the page of the flag tells: of what is served, where it is of one environment. */
export function versionOf(entry: HistoryEntry): number {
  return entry.flag_version ?? entry.version;
}

/** Whether two entries changed the same thing, so that restoring the older one takes the newer one back. */
export function samePlace(a: HistoryEntry, b: HistoryEntry): boolean {
  return placeOf(a) === placeOf(b);
}

/** A ramp writes what targeting writes: both are of one environment's place. */
function placeOf({ kind, environment }: HistoryEntry): string {
  if (kind === 'targeting' || kind === 'ramp') return `targeting ${environment}`;
  return kind === 'created' ? 'flag' : kind;
}
