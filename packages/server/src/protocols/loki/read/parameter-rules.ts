import { fail } from '../../../platform/fail.ts';
import type { Window } from '../../../platform/time-window.ts';
import type { Parameters } from '../../read/request.ts';
import { durationNs } from './logql/units-rules.ts';

const invalid = (reason: string) => fail('LOKI_PARAMETER_INVALID', { reason });

const nsPerSecond = 1_000_000_000n;
const msToNs = (ms: number) => BigInt(Math.round(ms)) * 1_000_000n;
/** Nanoseconds of a time as Loki reads it (`pkg/util/httpreq`): up to ten digits are seconds. */
export function timeNs(name: string, text: string): bigint {
  if (/^-?\d{1,10}$/.test(text)) return BigInt(text) * nsPerSecond;
  if (/^-?\d{1,30}$/.test(text)) return BigInt(text);
  if (/^-?\d{1,15}\.\d+(e[+-]?\d{1,2})?$/i.test(text)) return msToNs(Number(text) * 1000);
  const [whole, seconds, fraction = '', zone] =
    /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9})\d*)?(Z|[+-]\d{2}:\d{2})$/i.exec(text) ?? [];
  const ms = whole === undefined ? Number.NaN : Date.parse(`${seconds}${zone}`);
  if (Number.isNaN(ms)) throw invalid(`could not parse "${name}" parameter: cannot parse "${text}" as a timestamp`);
  return msToNs(ms) + BigInt(fraction.padEnd(9, '0'));
}

/** Nanoseconds of a duration: seconds as a number, or a text such as `15000ms`. */
export function lengthNs(name: string, text: string): bigint {
  const ns = /^(\d{1,12}\.?\d*|\.\d+)$/.test(text) ? msToNs(Number(text) * 1000) : durationNs(text);
  if (ns === undefined)
    throw invalid(`could not parse "${name}" parameter: cannot parse "${text}" to a valid duration`);
  return ns;
}

/** A window, by default the last hour. `end` is exclusive. */
export function windowOf(parameters: Parameters, nowMs: number): Window {
  const [from, to, since] = [parameters.one('start'), parameters.one('end'), parameters.one('since')];
  const toNs = to === undefined ? msToNs(nowMs) : timeNs('end', to);
  const length = since === undefined ? 3_600n * nsPerSecond : lengthNs('since', since);
  const fromNs = from === undefined ? toNs - length : timeNs('start', from);
  if (toNs < fromNs) throw invalid('end timestamp must not be before or equal to start time');
  return { fromNs, toNs };
}

export interface Grid {
  readonly startNs: bigint;
  /** 0: an instant query at the start. */
  readonly stepNs: bigint;
  readonly count: number;
}

export function gridOf(parameters: Parameters, nowMs: number, most: number): Grid {
  const { fromNs, toNs } = windowOf(parameters, nowMs);
  const text = parameters.one('step');
  const automatic = (toNs - fromNs) / (250n * nsPerSecond);
  const stepNs = text === undefined ? (automatic > 0n ? automatic : 1n) * nsPerSecond : lengthNs('step', text);
  if (stepNs <= 0n)
    throw invalid('zero or negative query resolution step widths are not accepted. Try a positive integer');
  const count = (toNs - fromNs) / stepNs + 1n;
  if (count > BigInt(most))
    throw invalid(
      `exceeded maximum resolution of ${most} points per time series. Try increasing the value of the step parameter`,
    );
  return { startNs: fromNs, stepNs, count: Number(count) };
}

export function limitOf(parameters: Parameters, most: number): number {
  const text = parameters.one('limit');
  if (text === undefined) return Math.min(100, most);
  const limit = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(limit)) throw invalid(`could not parse "limit" parameter: cannot parse "${text}" as a number`);
  if (limit <= 0) throw invalid('limit must be a positive value');
  if (limit > most)
    throw invalid(`max entries limit per query exceeded, limit > max_entries_limit_per_query (${limit} > ${most})`);
  return limit;
}

export function isForward(parameters: Parameters): boolean {
  const text = parameters.one('direction')?.toLowerCase() ?? 'backward';
  if (text !== 'forward' && text !== 'backward') throw invalid(`invalid direction '${text}'`);
  return text === 'forward';
}

const mostDelayNs = 5n * nsPerSecond;

/** `delay_for` of a tail, in nanoseconds. */
export function delayOf(parameters: Parameters): bigint {
  const text = parameters.one('delay_for') ?? '0';
  if (!/^\d{1,9}$/.test(text))
    throw invalid(`could not parse "delay_for" parameter: cannot parse "${text}" as seconds`);
  const delayNs = BigInt(text) * nsPerSecond;
  if (delayNs > mostDelayNs) throw invalid('delay_for can not be greater than 5');
  return delayNs;
}
