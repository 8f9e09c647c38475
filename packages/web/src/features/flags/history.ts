import type { getHistoryVersion, listHistory, RouteResponse } from '@fanion/contract';

export type HistoryEntry = RouteResponse<typeof listHistory>[number];
export type HistoryVersion = RouteResponse<typeof getHistoryVersion>;

/** The version that the flag's page shows: the targeting version if the entry belongs to one environment. */
export function versionOf(entry: HistoryEntry): number {
  return entry.flag_version ?? entry.version;
}

/** Whether two entries changed the same target, so that restoring the older one reverts the newer one. */
export function samePlace(a: HistoryEntry, b: HistoryEntry): boolean {
  return placeOf(a) === placeOf(b);
}

/** Whatever changes what an environment serves belongs to its targeting: ramps, guarded releases and experiments too. */
function placeOf({ kind, environment }: HistoryEntry): string {
  if (environment !== null) return `targeting ${environment}`;
  return kind === 'created' ? 'flag' : kind;
}
