import type { Parameters } from '../../read/request.ts';
import { storable } from '../../read/window.ts';
import { invalid } from './answer.ts';

/** Nanoseconds since the epoch, both inclusive. */
export interface Window {
  readonly fromNs: bigint;
  readonly toNs: bigint;
}

/** What a search asks for. All conditions are on one span of a trace. */
export interface Search {
  readonly service: string | undefined;
  readonly operation: string | undefined;
  readonly tags: readonly Tag[];
  readonly window: Window;
  readonly minDurationNs: bigint;
  /** Undefined: any. */
  readonly maxDurationNs: bigint | undefined;
  readonly limit: number;
}

export type Tag = readonly [key: string, value: string];

const defaultLookbackNs = 48n * 3_600_000_000_000n;
const defaultLimit = 100;

/** A search of version 1 (`query_parser.go`, `parseTraceQueryParams`). */
export function searchOf(parameters: Parameters, nowNs: bigint, maxTraces: number): Search {
  const end = parameters.one('end');
  const toNs = end === undefined ? nowNs : wholeOf('end', end) * 1_000n;
  const start = parameters.one('start');
  const fromNs = start === undefined ? toNs - lookbackOf(parameters) : wholeOf('start', start) * 1_000n;
  if (fromNs > toNs) throw invalid('invalid parameter: start time must be before end time');
  return {
    service: parameters.one('service'),
    operation: parameters.one('operation'),
    tags: tagsOf(parameters),
    window: storable({ fromNs, toNs }),
    ...durationsOf(parameters, ['minDuration'], ['maxDuration']),
    limit: limitOf(['limit'], parameters, maxTraces),
  };
}

function lookbackOf(parameters: Parameters): bigint {
  const text = parameters.one('lookback');
  // The UI says `custom` beside a start and an end.
  if (text === undefined || text === 'custom') return defaultLookbackNs;
  const days = /^(\d{1,5})([dw])$/.exec(text);
  if (days === null) return durationOf('lookback', text);
  return BigInt(days[1] ?? 0) * (days[2] === 'w' ? 7n : 1n) * 86_400_000_000_000n;
}

/** A search of version 3 (`apiv3/query_parser.go`), whose parameters have two spellings. */
export function searchOfV3(parameters: Parameters, maxTraces: number): Search {
  const time = (camel: string, snake: string) => {
    const text = parameters.one(camel, snake);
    if (text === undefined) throw invalid(`${snake} is required`);
    return timeOf(snake, text);
  };
  for (const name of ['query.filter', 'query.pagination.pageSize', 'query.pagination.pageToken'])
    if (parameters.one(name) !== undefined) throw invalid(`${name} is not supported`);
  const fromNs = time('query.startTimeMin', 'query.start_time_min');
  const toNs = time('query.startTimeMax', 'query.start_time_max');
  if (fromNs > toNs) throw invalid('query.start_time_min must be before query.start_time_max');
  const attributes = parameters.one('query.attributes');
  return {
    service: parameters.one('query.serviceName', 'query.service_name'),
    operation: parameters.one('query.operationName', 'query.operation_name'),
    tags: attributes === undefined ? [] : tagsOfJson('query.attributes', attributes),
    window: storable({ fromNs, toNs }),
    ...durationsOf(
      parameters,
      ['query.durationMin', 'query.duration_min'],
      ['query.durationMax', 'query.duration_max'],
    ),
    limit: limitOf(['query.searchDepth', 'query.search_depth', 'query.num_traces'], parameters, maxTraces),
  };
}

function durationsOf(parameters: Parameters, min: readonly string[], max: readonly string[]) {
  const of = (names: readonly string[]): bigint => {
    const text = parameters.one(...names);
    return text === undefined ? 0n : durationOf(names.at(-1) ?? '', text);
  };
  const [minDurationNs, most] = [of(min), of(max)];
  if (minDurationNs !== 0n && most !== 0n && most < minDurationNs)
    throw invalid(`'${max.at(-1)}' should be greater than '${min.at(-1)}'`);
  return { minDurationNs, maxDurationNs: most === 0n ? undefined : most };
}

function limitOf(names: readonly string[], parameters: Parameters, most: number): number {
  const name = names.at(-1) ?? '';
  const text = parameters.one(...names);
  if (text === undefined) return Math.min(defaultLimit, most);
  const limit = Number(wholeOf(name, text));
  if (limit <= 0) throw invalid(`invalid parameter: ${name} must be greater than 0`);
  if (limit > most) throw invalid(`invalid parameter: ${name} must be at most ${most}`);
  return limit;
}

/** A whole number of 64 bits. */
export function wholeOf(name: string, text: string): bigint {
  const number = /^[+-]?\d{1,19}$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined;
  if (number === undefined || BigInt.asIntN(64, number) !== number)
    throw invalid(`unable to parse param '${name}': "${text.slice(0, 100)}" is not a whole number`);
  return number;
}

const unitsNs: Readonly<Record<string, number>> = {
  ...{ ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3_600e9 },
};

/** Nanoseconds of a duration of Go: `1.2ms`, `1h30m`. */
export function durationOf(name: string, text: string): bigint {
  const failure = () => invalid(`unable to parse param '${name}': time: invalid duration "${text.slice(0, 100)}"`);
  if (text === '0') return 0n;
  if (text.length > 100 || !/^(\d+(\.\d*)?(ns|us|µs|μs|ms|s|m|h))+$/.test(text)) throw failure();
  let ns = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d*)?)(ns|us|µs|μs|ms|s|m|h)/g))
    ns += Number(amount) * (unitsNs[unit ?? ''] ?? 0);
  if (ns > 9.2e18) throw failure();
  return BigInt(Math.round(ns));
}

/** Nanoseconds of a time of RFC 3339, whose fractions may have nine digits. */
export function timeOf(name: string, text: string): bigint {
  const parts = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/i.exec(text);
  const ms = parts === null ? Number.NaN : Date.parse(`${parts[1]}${parts[3]}`);
  if (Number.isNaN(ms)) throw invalid(`malformed parameter ${name}: "${text.slice(0, 100)}" is not a time of RFC 3339`);
  return BigInt(ms) * 1_000_000n + BigInt((parts?.[2] ?? '').padEnd(9, '0'));
}

function tagsOf(parameters: Parameters): Tag[] {
  const tags = new Map<string, string>();
  for (const text of parameters.all('tag')) {
    const colon = text.indexOf(':');
    if (colon < 0) throw invalid(`malformed 'tag' parameter, expecting key:value, received: ${text.slice(0, 100)}`);
    tags.set(text.slice(0, colon), text.slice(colon + 1));
  }
  for (const text of parameters.all('tags')) for (const [key, value] of tagsOfJson('tags', text)) tags.set(key, value);
  return [...tags];
}

function tagsOfJson(name: string, text: string): Tag[] {
  const failure = () => invalid(`malformed '${name}' parameter, cannot unmarshal JSON: expecting an object of texts`);
  const found = parsed(text, failure);
  if (found === null) return [];
  if (typeof found !== 'object' || Array.isArray(found)) throw failure();
  return Object.entries(found).map(([key, value]: [string, unknown]) => {
    if (typeof value !== 'string') throw failure();
    return [key, value];
  });
}

function parsed(text: string, failure: () => Error): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw failure();
  }
}

/** The id of a trace in 32 digits, as Jaeger reads it: zeros may be missing at the beginning. */
export function traceIdOf(text: string): string {
  if (!/^[0-9a-f]{1,32}$/i.test(text))
    throw invalid(`cannot parse traceID param: "${text.slice(0, 64)}" is not a trace ID`);
  return text.toLowerCase().padStart(32, '0');
}
