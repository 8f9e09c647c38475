import type { listAnnotations, RouteResponse } from '@fanion/contract';
import { zoneOffset } from '../../ui/format/zone.ts';

export type Happening = RouteResponse<typeof listAnnotations>[number];
export type HappeningKind = Happening['kind'];

/** The lanes of the time line, in their order. */
export const LANES: readonly { readonly kind: HappeningKind; readonly label: string; readonly one: string }[] = [
  { kind: 'alert', label: 'Alerts', one: 'Alert' },
  { kind: 'deploy', label: 'Deploys', one: 'Deploy' },
  { kind: 'flag', label: 'Flags', one: 'Flag' },
  { kind: 'ramp', label: 'Rollouts', one: 'Rollout' },
  { kind: 'rollback', label: 'Rollbacks', one: 'Rollback' },
  { kind: 'manual', label: 'Notes', one: 'Note' },
];

export function kindText(kind: HappeningKind): string {
  return LANES.find((lane) => lane.kind === kind)?.one ?? kind;
}

/** Where a happening is shown in full; null: nowhere else. */
export type Target =
  | { readonly page: 'alert'; readonly id: string }
  | { readonly page: 'service'; readonly service: string }
  | {
      readonly page: 'flag';
      readonly key: string;
      readonly env: string | undefined;
      readonly tab: 'history' | 'guarded';
    }
  | null;

export function targetOf({ kind, alert, service, flag, environment }: Happening): Target {
  switch (kind) {
    case 'alert':
      return alert === null ? null : { page: 'alert', id: alert.instance_id };
    case 'deploy':
      return service === null ? null : { page: 'service', service };
    case 'flag':
    case 'ramp':
      return flag === null ? null : { page: 'flag', key: flag, env: environment ?? undefined, tab: 'history' };
    case 'rollback':
      return flag === null ? null : { page: 'flag', key: flag, env: environment ?? undefined, tab: 'guarded' };
    case 'manual':
      return null;
  }
}

/** Happenings of one lane that are too close together to be drawn apart. */
export interface Cluster {
  /** Where it stands, 0…1 of the window. */
  readonly at: number;
  /** Oldest first. */
  readonly happenings: readonly Happening[];
}

/** Places the happenings of a lane in a window; those closer than `apart` (0…1) share a mark. */
export function clustersOf(
  happenings: readonly Happening[],
  { from, to }: { readonly from: number; readonly to: number },
  apart: number,
): Cluster[] {
  const placed = happenings
    .map((happening) => ({ happening, at: (Date.parse(happening.time) - from) / (to - from) }))
    .filter(({ at }) => at >= 0 && at <= 1)
    .toSorted((a, b) => a.at - b.at);
  const clusters: { at: number; happenings: Happening[] }[] = [];
  for (const { happening, at } of placed) {
    const last = clusters.at(-1);
    if (last !== undefined && at - last.at < apart) last.happenings.push(happening);
    else clusters.push({ at, happenings: [happening] });
  }
  return clusters;
}

/** The moments that the axis names: about `count` of them, at round times of day in the chosen zone. */
export function ticksOf(
  { from, to }: { readonly from: number; readonly to: number },
  count: number,
): { readonly at: number; readonly time: number }[] {
  const minute = 60_000;
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440, 2_880, 10_080].map((n) => n * minute);
  const step = steps.find((one) => (to - from) / one <= count) ?? 30 * 1_440 * minute;
  const zone = -zoneOffset(from);
  const first = Math.ceil((from - zone) / step) * step + zone;
  const ticks = [];
  for (let time = first; time < to; time += step) ticks.push({ time, at: (time - from) / (to - from) });
  return ticks;
}
