import type { Signal } from '../entry.ts';
import { scanLogs } from './logs.ts';
import { scanMetrics } from './metrics.ts';
import type { ScanLimits, ScanOutcome } from './outcome.ts';
import { scanProfiles } from './profiles.ts';
import { scanTraces } from './traces.ts';

export { type ScanLimits, type ScanOutcome, TooLarge } from './outcome.ts';

/**
 * Checks the protobuf body of an OTLP export request, without building objects.
 * @throws {WireError} when the structure is broken anywhere, to the last byte.
 * @throws {TooLarge} when there are too many items, or their rows would be too large.
 */
export function scan(signal: Signal, body: Buffer, limits: ScanLimits): ScanOutcome {
  switch (signal) {
    case 'traces':
      return scanTraces(body, limits);
    case 'logs':
      return scanLogs(body, limits);
    case 'metrics':
      return scanMetrics(body, limits);
    case 'profiles':
      return scanProfiles(body, limits);
  }
}
