import type { Annotation } from '@fanion/contract';

/** The first span of a version of a service, in one environment. */
export interface FirstSeen {
  readonly service: string;
  readonly version: string;
  readonly environment: string;
  readonly at: number;
}

/**
 * The versions that replaced or joined another one: those whose first span is in the window, of services that another
 * version served before. The first version of a service that has no earlier one is no deploy.
 * @param seen of the window and some time before it
 * @param fromMs the start of the window
 */
export function deploysIn(seen: readonly FirstSeen[], fromMs: number): FirstSeen[] {
  const begun = new Map<string, number>();
  const keyOf = ({ service, environment }: FirstSeen) => JSON.stringify([service, environment]);
  for (const one of seen) begun.set(keyOf(one), Math.min(begun.get(keyOf(one)) ?? one.at, one.at));
  return seen.filter((one) => one.version !== '' && one.at >= fromMs && one.at > (begun.get(keyOf(one)) ?? one.at));
}

/** Latest first; equal times by id, so that pages do not overlap. */
export function inOrder(a: Pick<Annotation, 'time' | 'id'>, b: Pick<Annotation, 'time' | 'id'>): number {
  if (a.time !== b.time) return a.time < b.time ? 1 : -1;
  return a.id === b.id ? 0 : a.id < b.id ? 1 : -1;
}

/** Ids are compared as the database compares them: of a deploy, its text stands after all others of the same time. */
export function isAfter(
  { time, id }: Pick<Annotation, 'time' | 'id'>,
  position: { readonly time: Date; readonly id: string } | undefined,
): boolean {
  return position === undefined || inOrder({ time: position.time.toISOString(), id: position.id }, { time, id }) < 0;
}
