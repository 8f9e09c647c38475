const dayMs = 86_400_000;
/** The oldest rows may expire while they are read. */
const expiresMs = 3_600_000;

/** Days for which a project keeps what metrics are made of. */
export interface Kept {
  readonly logs: number;
  readonly traces: number;
}

/** Since when all telemetry is there, in Unix milliseconds. */
export function keptFromMs(nowMs: number, { logs, traces }: Kept): number {
  return nowMs - Math.min(logs, traces) * dayMs + expiresMs;
}

/** The last days, or fewer where telemetry is kept shorter: rows that have expired would count as zeros. */
export function pastWindow(
  days: number,
  nowMs: number,
  kept: Kept,
): { readonly fromMs: number; readonly toMs: number } {
  return { fromMs: Math.max(nowMs - days * dayMs, keptFromMs(nowMs, kept)), toMs: nowMs };
}

/** Days since the first of the units, to one decimal; at least one, since a part of a day says little about a whole one. */
export function daysSeen(
  firstMs: number | undefined,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
) {
  const days = (toMs - Math.max(fromMs, firstMs ?? fromMs)) / dayMs;
  return Math.max(1, Math.round(days * 10) / 10);
}
