/** The store's DateTime64 ends in 2262, and its DateTime in 2106. */
const latestMs = 4_294_967_295_000;

/** No telemetry is stored of other times. */
export function storableMs(ms: number): number {
  return Math.min(latestMs, Math.max(0, ms));
}

/** Milliseconds that Prometheus looks back for a sample, unless a query says otherwise. */
export const defaultLookbackMs = 300_000;

/** Unix milliseconds: `start` exclusive, `end` inclusive. */
export interface SampleWindow {
  readonly start: number;
  readonly end: number;
}
