import type { Window } from '../../platform/time-window.ts';

/** The store's DateTime ends in 2106, and some of its functions of time are of that type. */
const latestNs = 4_294_967_295_000_000_000n;

/** The part of a window in which telemetry can be. */
export function storable({ fromNs, toNs }: Window): Window {
  const within = (ns: bigint) => (ns < 0n ? 0n : ns > latestNs ? latestNs : ns);
  return { fromNs: within(fromNs), toNs: within(toNs) };
}
