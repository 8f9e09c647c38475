import type { Compiled } from '@fanion/oql';
import type { ScopedTelemetry, TelemetryScope } from '../../scoped-telemetry.ts';
import { boundParameters } from '../plan/bound-parameters.ts';

/** Counting takes no longer than this: the answer is worth more than the count. */
const maxSeconds = 5;

/**
 * Counts the series of an answer that have no earlier point to count their growth from.
 * @returns null if that is not known in time
 */
export async function countAnchorless(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  { anchorless, settings }: Pick<Compiled, 'anchorless' | 'settings'>,
  signal: AbortSignal,
): Promise<number | null> {
  if (anchorless === undefined) return 0;
  try {
    const params = boundParameters(anchorless.params);
    const more = { settings, limits: { maxSeconds } };
    const [row] = await telemetry.rows<{ r1: number | string }>(scope, anchorless.sql, params, signal, more);
    return Number(row?.r1 ?? 0);
  } catch {
    signal.throwIfAborted();
    return null;
  }
}
