const mebibyte = 1024 ** 2;

/** The least memory with which the server starts. */
export const leastMemory = 512 * mebibyte;
/** Without configuration, on a machine of any size. */
export const defaultMemory = 1024 * mebibyte;

/** What the server's own process with its threads and the embedded control plane take beside the engine. */
const besideEngine = 448 * mebibyte;

/**
 * The share of the embedded telemetry engine: what the other processes leave, and at least half. The engine divides it
 * among its caches, queries, inserts and merges (`packages/embedded/src/telemetry/engine-memory.ts`).
 * @param total bytes for all processes together
 */
export function engineShare(total: number): number {
  return Math.floor(Math.max(total - besideEngine, total / 2));
}

/**
 * What bodies that are being received and accepted may take on the server: all together, and those of one project, so that a
 * flood leaves room for others. One request of the largest size always fits.
 * @param total bytes for all processes together
 */
export function bodyShares(total: number): { readonly total: number; readonly project: number } {
  return { total: Math.floor(total / 4), project: Math.floor(total / 8) };
}

/**
 * What recent points of metrics may take: a sixteenth.
 * @param total bytes for all processes together
 */
export function recentPointsShare(total: number): number {
  return Math.floor(total / 16);
}

/**
 * The memory of all processes: what is configured, or 1 GiB. It is at most 90 % of what the control group or the machine
 * has, so that the operating system does not kill a process first.
 * @param limits bytes; undefined: no limit
 */
export function memoryOf(
  configured: number | undefined,
  limits: { readonly machine: number; readonly group: number | undefined },
): number {
  const most = Math.min(limits.machine, limits.group ?? Number.POSITIVE_INFINITY) * 0.9;
  return Math.floor(Math.min(configured ?? defaultMemory, Math.max(most, leastMemory)));
}

/**
 * The limit of a control group, as its file states it: `memory.max` of version 2 is a number or `max`;
 * `memory.limit_in_bytes` of version 1 is a number near 2^63 if there is no limit.
 */
export function groupLimit(text: string): number | undefined {
  const bytes = Number(text.trim());
  return Number.isFinite(bytes) && bytes > 0 && bytes < 2 ** 60 ? bytes : undefined;
}
