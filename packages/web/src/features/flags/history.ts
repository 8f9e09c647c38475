import type { listHistory, RouteResponse } from '@fanion/contract';

export type HistoryEntry = RouteResponse<typeof listHistory>[number];

/** The version that the flag's page shows: the targeting version if the entry belongs to one environment. */
export function versionOf(entry: HistoryEntry): number {
  return entry.flag_version ?? entry.version;
}

/** Whether two entries changed the same target, so that restoring the older one reverts the newer one. */
export function samePlace(a: HistoryEntry, b: HistoryEntry): boolean {
  return placeOf(a) === placeOf(b);
}

/** A ramp writes the same data as targeting, so both belong to the environment's targeting. */
function placeOf({ kind, environment }: HistoryEntry): string {
  if (kind === 'targeting' || kind === 'ramp') return `targeting ${environment}`;
  return kind === 'created' ? 'flag' : kind;
}
