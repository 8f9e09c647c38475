import { formatPercent } from '../../ui/format/index.ts';
import { ALARMING, type WindowNumbers } from './service-health.ts';

export type Tone = 'ok' | 'noted' | 'warning' | 'error';

export interface ServiceState {
  readonly tone: Tone;
  /** What it is judged by, the worst first. */
  readonly reasons: readonly string[];
}

/** Shares of failed requests from here on are a warning; from `ALARMING` on an error. */
const WARNING = ALARMING / 5;
/** With fewer failed requests, no share of them is more than noted. */
const FEW_FAILED = 3;
/** How much slower than in the window before. */
const SLOWER = { warning: 1.5, error: 2.5 } as const;
/** A quantile of fewer requests than this says little. */
const JUDGED_FROM = 50;

const RANK: readonly Tone[] = ['ok', 'noted', 'warning', 'error'];

/**
 * The state of a service: the worst of its errors and its p99. Only a service without any failed span is well; one
 * with few failures is not alarming, but it is not said to have none either.
 */
export function serviceState(given: {
  window: WindowNumbers;
  before: WindowNumbers | undefined;
  /** The share of requests that failed in the newest buckets, so that a long window does not hide an incident. */
  recentErrors: number | null;
  /** Failed spans of any kind, calls to others included. */
  failedSpans: number;
}): ServiceState {
  const found = [errorState(given), slowState(given.window, given.before)].filter((state) => state !== undefined);
  const worst = found.toSorted((a, b) => RANK.indexOf(b.tone) - RANK.indexOf(a.tone));
  const [first] = worst;
  if (first === undefined) return { tone: 'ok', reasons: ['No errors'] };
  return { tone: first.tone, reasons: worst.map(({ reason }) => reason) };
}

interface Judged {
  tone: Tone;
  reason: string;
}

function errorState({
  window,
  recentErrors,
  failedSpans,
}: {
  window: WindowNumbers;
  recentErrors: number | null;
  failedSpans: number;
}): Judged | undefined {
  const whole = window.errors ?? 0;
  const recent = recentErrors ?? 0;
  const isFew = whole * window.requests < FEW_FAILED;
  if (recent >= WARNING && recent >= whole)
    return { tone: isFew ? 'noted' : toneOf(recent), reason: `${formatPercent(recent)} of recent requests failed` };
  if (whole > 0) return { tone: isFew ? 'noted' : toneOf(whole), reason: `${formatPercent(whole)} of requests failed` };
  if (failedSpans > 0) return { tone: 'noted', reason: 'No request failed, but calls that it made did' };
  return undefined;
}

function toneOf(share: number): Tone {
  return share >= ALARMING ? 'error' : share >= WARNING ? 'warning' : 'noted';
}

function slowState(window: WindowNumbers, before: WindowNumbers | undefined): Judged | undefined {
  if (before === undefined || window.requests < JUDGED_FROM || before.requests < JUDGED_FROM) return undefined;
  if (window.p99 === null || before.p99 === null || before.p99 === 0) return undefined;
  const times = window.p99 / before.p99;
  if (times < SLOWER.warning) return undefined;
  return {
    tone: times >= SLOWER.error ? 'error' : 'warning',
    reason: `p99 is ${times.toFixed(1)} times the window before`,
  };
}

export interface Change {
  readonly direction: 'up' | 'down' | 'same';
  /** Without a sign: the direction has it. */
  readonly text: string;
}

/** How a number differs from the window before, as a share of it; undefined if there was nothing before. */
export function relativeChange(now: number | null, before: number | null | undefined): Change | undefined {
  if (now === null || before === null || before === undefined || before === 0) return undefined;
  const change = now / before - 1;
  if (Math.abs(change) < 0.005) return { direction: 'same', text: '0%' };
  const text = now >= 2 * before ? `${(now / before).toFixed(1)} times` : `${Math.round(Math.abs(change) * 100)}%`;
  return { direction: change > 0 ? 'up' : 'down', text };
}

/** How a share differs from the window before, in percentage points. */
export function pointChange(now: number | null, before: number | null | undefined): Change | undefined {
  if (now === null || before === null || before === undefined) return undefined;
  const points = (now - before) * 100;
  if (Math.abs(points) < 0.005) return { direction: 'same', text: '0 points' };
  const rounded =
    Math.abs(points) >= 10 ? Math.abs(points).toFixed(0) : String(Number(Math.abs(points).toPrecision(2)));
  return { direction: points > 0 ? 'up' : 'down', text: `${rounded} ${rounded === '1' ? 'point' : 'points'}` };
}
