import type { Arrivals } from '../arrivals.ts';

/** Telemetry that arrives at once and is stored at once. */
export const promptArrivals: Pick<Arrivals, 'refresh' | 'lateMs' | 'storedTo'> = {
  refresh: async () => {},
  lateMs: () => 100,
  storedTo: () => ({ running: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY }),
};
