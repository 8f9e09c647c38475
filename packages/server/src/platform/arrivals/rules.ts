import { LATENESS_STEPS_MS, type Lateness, noLateness } from '@fanion/telemetry';

/** Requests within so long of each other are one observation, so that a burst of them counts once. */
const observationMs = 5_000;
/** Observations that are kept: five minutes of a source that sends all the time. */
const kept = 60;
/** A source that was silent for so long is forgotten. */
export const forgottenAfterMs = 3_600_000;
/** The share of an observation's items that are waited for. */
const share = 0.95;
/** A lateness counts when so many observations reach it: one or two are hiccups, or the end of history that was loaded. */
const repeated = 3;
/** With fewer observations, what was known of a source before the server was started counts too. */
const settled = 12;
/** Nothing arrives earlier than this, as far as it matters. */
export const leastLateMs = LATENESS_STEPS_MS[0];

/** How late the telemetry of one source has arrived lately. */
export interface Source {
  /** Steps of {@link LATENESS_STEPS_MS}, the latest last. */
  readonly observed: readonly number[];
  /** Items since `since`, which are not an observation yet. */
  readonly open: Lateness;
  readonly since: number;
  readonly seenAt: number;
}

export function newSource(nowMs: number): Source {
  return { observed: [], open: noLateness(), since: nowMs, seenAt: nowMs };
}

/** Adds a request. One that mostly loads history says nothing about how late new telemetry is. */
export function withRequest(source: Source, lateness: Lateness, nowMs: number): Source {
  const items = lateness.reduce((sum, count) => sum + count, 0);
  const history = lateness[LATENESS_STEPS_MS.length] ?? 0;
  if (items === 0 || history * 2 > items) return source;
  const closed = closedAt(source, nowMs);
  const open = closed.open.map((count, step) => count + (step < LATENESS_STEPS_MS.length ? (lateness[step] ?? 0) : 0));
  return { ...closed, open, seenAt: nowMs };
}

function closedAt(source: Source, nowMs: number): Source {
  if (nowMs - source.since < observationMs && nowMs >= source.since) return source;
  const step = stepOf(source.open);
  const observed = step === undefined ? source.observed : [...source.observed, step].slice(-kept);
  return { ...source, observed, open: noLateness(), since: nowMs };
}

/** The step that covers most items; undefined: there are none. */
function stepOf(open: Lateness): number | undefined {
  const items = open.reduce((sum, count) => sum + count, 0);
  if (items === 0) return undefined;
  let sum = 0;
  return open.findIndex((count) => {
    sum += count;
    return sum >= share * items;
  });
}

/** How late telemetry of a source arrives, in milliseconds: the third largest of what was observed lately. */
export function lateMsOf({ observed, open }: Source): number {
  const last = stepOf(open);
  const steps = [...observed, ...(last === undefined ? [] : [last])].sort((a, b) => b - a);
  const step = steps[Math.min(repeated, steps.length) - 1] ?? 0;
  return LATENESS_STEPS_MS[step] ?? leastLateMs;
}

/** Whether enough has been observed to forget what was known before. */
export function isSettled({ observed }: Source): boolean {
  return observed.length >= settled;
}

/** The longest time that telemetry which arrives at once is waited for. */
const promptOffsetMs = 1_000;

/**
 * The offset of what has none of its own: how late telemetry arrives, and at least a tenth of the interval or a second, whichever is shorter,
 * so that a late item is waited for where this delays little.
 */
export function automaticOffsetMs(lateMs: number, everyMs: number): number {
  return Math.max(lateMs, Math.min(promptOffsetMs, everyMs / 10));
}

/** What is not stored by then is not waited for longer. */
const longestStoreWaitMs = 60_000;

/**
 * Up to when telemetry has been received and can be queried.
 * @param storedMs up to when what was received can be queried
 */
export function settledToMs({
  nowMs,
  offsetMs,
  lateMs,
  storedMs,
}: {
  readonly nowMs: number;
  readonly offsetMs: number;
  readonly lateMs: number;
  readonly storedMs: number;
}): number {
  const receivedMs = nowMs - offsetMs;
  return Math.max(Math.min(receivedMs, storedMs - Math.min(offsetMs, lateMs)), receivedMs - longestStoreWaitMs);
}
