import type { Window } from '../../../platform/time-window.ts';

const severityNames = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type SeverityName = (typeof severityNames)[number];

/** The lowest OpenTelemetry severity number of a name. */
export function severityFloor(name: SeverityName): number {
  return severityNames.indexOf(name) * 4 + 1;
}
/** The name of an OpenTelemetry severity number; `unset` for 0. */
export function severityName(number: number): string {
  return number <= 0 ? 'unset' : (severityNames[Math.floor((number - 1) / 4)] ?? 'fatal');
}

/** Converts counts by severity number to counts by name: four numbers share a name. */
export function bySeverityName(counts: readonly (readonly [number: number, count: number])[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const [number, count] of counts) sums.set(severityName(number), (sums.get(severityName(number)) ?? 0) + count);
  return Object.fromEntries(sums);
}

/** The end of a page: its window, so that a relative one stays fixed, and the last row's count and id. */
export interface Position {
  readonly window: Window;
  readonly sinceNs: bigint;
  readonly count: number;
  /** A whole number of 64 bits. */
  readonly id: string;
}

const POSITION = /^(\d{1,19}) (\d{1,19}) (-?\d{1,19}) (\d{1,16}) (\d{1,20})$/;

export function positionKey({ window, sinceNs, count, id }: Position): string {
  return [window.fromNs, window.toNs, sinceNs, count, id].join(' ');
}

export function isPositionKey(key: string): boolean {
  return readPosition(key) !== undefined;
}

export function readPosition(key: string): Position | undefined {
  const [, from, to, since, count, id] = POSITION.exec(key) ?? [];
  if (from === undefined || to === undefined || since === undefined || count === undefined || id === undefined)
    return undefined;
  const window = { fromNs: BigInt(from), toNs: BigInt(to) };
  if (window.fromNs >= window.toNs || BigInt(id) >= 2n ** 64n) return undefined;
  return { window, sinceNs: BigInt(since), count: Number(count), id };
}
