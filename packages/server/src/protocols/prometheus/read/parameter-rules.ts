import { DURATION_UNITS_MS } from '@fanion/promql';
import { defaultLookbackMs, storableMs } from '../../../features/telemetry/promql/index.ts';
import { fail } from '../../../platform/fail.ts';
import type { Parameters } from '../../read/request.ts';

const unixSeconds = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i;

/** Unix milliseconds of a time as Prometheus reads it (`web/api/v1/api.go`, `parseTime`). */
export function timeOf(name: string, text: string): number {
  const ms = unixSeconds.test(text)
    ? Math.round(Number(text) * 1000)
    : rfc3339.test(text)
      ? Date.parse(text)
      : Number.NaN;
  if (!Number.isFinite(ms))
    throw fail('PROMETHEUS_PARAMETER_INVALID', { name, reason: `cannot parse "${text}" to a valid timestamp` });
  return ms;
}

const duration = /^(?:\d+y)?(?:\d+w)?(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?(?:\d+ms)?$/;

/** Milliseconds of a duration: seconds as a number, or text such as `1h30m`. */
export function durationOf(name: string, text: string): number {
  if (unixSeconds.test(text)) return Math.round(Number(text) * 1000);
  if (text === '' || !duration.test(text))
    throw fail('PROMETHEUS_PARAMETER_INVALID', { name, reason: `cannot parse "${text}" to a valid duration` });
  let ms = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+)(ms|[smhdwy])/g))
    ms += Number(amount) * (DURATION_UNITS_MS[unit ?? ''] ?? 0);
  return ms;
}

/** Most items of an answer; undefined: all of them. */
export function limitOf(parameters: Parameters, name = 'limit'): number | undefined {
  const text = parameters.one(name);
  if (text === undefined) return undefined;
  const limit = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(limit))
    throw fail('PROMETHEUS_PARAMETER_INVALID', { name, reason: `cannot parse "${text}" to a limit` });
  return limit === 0 ? undefined : limit;
}

export function lookbackOf(parameters: Parameters): number {
  const text = parameters.one('lookback_delta');
  const ms = text === undefined ? defaultLookbackMs : durationOf('lookback_delta', text);
  return ms > 0 ? ms : defaultLookbackMs;
}

export interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

/** The window and steps of a range query, in milliseconds. */
export function rangeOf(parameters: Parameters, maxSteps: number): Range {
  const required = (name: string): string => {
    const text = parameters.one(name);
    if (text === undefined)
      throw fail('PROMETHEUS_PARAMETER_INVALID', { name, reason: 'cannot parse "" to a valid timestamp' });
    return text;
  };
  const start = timeOf('start', required('start'));
  const end = timeOf('end', required('end'));
  const invalid = (name: string, reason: string) => fail('PROMETHEUS_PARAMETER_INVALID', { name, reason });
  if (end < start) throw invalid('end', 'end timestamp must not be before start time');
  const step = durationOf('step', parameters.one('step') ?? '');
  if (step <= 0)
    throw invalid('step', 'zero or negative query resolution step widths are not accepted. Try a positive integer');
  if (Math.floor((end - start) / step) + 1 > maxSteps)
    throw invalid(
      'step',
      `exceeded maximum resolution of ${maxSteps} points per timeseries. Try decreasing the query resolution (?step=XX)`,
    );
  return { start, end, step };
}

/** The window of a list, in milliseconds: by default the last twelve hours. Prometheus reads all of its data then. */
export function windowOf(parameters: Parameters, now: number): { readonly start: number; readonly end: number } {
  const [from, to] = [parameters.one('start'), parameters.one('end')];
  const end = to === undefined ? now : timeOf('end', to);
  const start = from === undefined ? end - defaultListMs : timeOf('start', from);
  if (end < start)
    throw fail('PROMETHEUS_PARAMETER_INVALID', { name: 'end', reason: 'end timestamp must not be before start time' });
  return { start: storableMs(start), end: storableMs(end) };
}

const defaultListMs = 12 * 3_600_000;
