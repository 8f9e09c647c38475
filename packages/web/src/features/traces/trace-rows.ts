import { toDate } from '../../ui/format/index.ts';
import { absoluteRange, DEFAULT_RANGE, type TimeRange } from '../../ui/time/time-range.ts';

const HOUR_MS = 3_600_000;

/** A trace of the list: at first its newest matching span, then the whole trace. */
export interface TraceRow {
  readonly traceId: string;
  /** When it started, as the API gives it. */
  readonly time: string;
  /** The service and operation of its root. */
  readonly service: string;
  readonly name: string;
  /** The matching operation, where that is not the root's. */
  readonly matched: string | undefined;
  /** In nanoseconds. */
  readonly duration: number;
  /** Undefined until the whole trace is known. */
  readonly whole: WholeTrace | undefined;
}

export interface WholeTrace {
  readonly spans: number;
  readonly errors: number;
  /** The message of a failed span; empty where none has one. */
  readonly message: string;
  /** The share of each service in the work of all: self times in nanoseconds, the largest first. */
  readonly work: readonly { readonly service: string; readonly self: number }[];
}

type Row = Readonly<Record<string, unknown>>;

/** The distinct traces of matching spans, in their order. */
export function distinctTraces(matches: readonly Row[], most: number): string[] {
  return [...new Set(matches.map((match) => String(match.trace_id)))].slice(0, most);
}

/**
 * Where the whole traces of matching spans are: an hour more on both sides, since a trace that crosses an end of the
 * page's time range would otherwise look shorter than it is.
 */
export function rangeAround(matches: readonly Row[]): TimeRange {
  const times = matches.flatMap(({ time }) => toDate(String(time))?.getTime() ?? []);
  if (times.length === 0) return DEFAULT_RANGE;
  return absoluteRange(Math.min(...times) - HOUR_MS, Math.max(...times) + HOUR_MS);
}

/**
 * One row for each trace.
 * @param matches rows of `tracesQuery`
 * @param wholes rows of `wholeTracesQuery`; a trace that is missing there keeps what its span says
 * @param works rows of `workQuery`
 */
export function traceRows(
  traceIds: readonly string[],
  matches: readonly Row[],
  wholes: readonly Row[],
  works: readonly Row[],
): TraceRow[] {
  const matchOf = firstBy(matches);
  const wholeOf = firstBy(wholes);
  const workOf = new Map<string, { service: string; self: number }[]>();
  for (const { trace_id, 'service.name': service, self } of works) {
    const all = workOf.get(String(trace_id)) ?? [];
    all.push({ service: String(service ?? ''), self: Number(self ?? 0) });
    workOf.set(String(trace_id), all);
  }
  return traceIds.flatMap((traceId): TraceRow[] => {
    const match = matchOf.get(traceId);
    const whole = wholeOf.get(traceId);
    const shown = whole ?? match;
    if (match === undefined || shown === undefined) return [];
    const name = String(shown.name);
    return [
      {
        traceId,
        time: String(shown.time),
        service: String(shown['service.name'] ?? ''),
        name,
        matched: String(match.name) === name ? undefined : String(match.name),
        duration: Number(shown.duration),
        whole: whole && {
          spans: Number(whole.spans),
          errors: Number(whole.errors),
          message: typeof whole.message === 'string' ? whole.message : '',
          work: (workOf.get(traceId) ?? []).sort((one, other) => other.self - one.self),
        },
      },
    ];
  });
}

function firstBy(rows: readonly Row[]): ReadonlyMap<string, Row> {
  const found = new Map<string, Row>();
  for (const row of rows) if (!found.has(String(row.trace_id))) found.set(String(row.trace_id), row);
  return found;
}

/**
 * Where a duration lies between the shortest and the longest of a list, on a logarithmic scale: traces of 2 ms and of 20 s
 * are both visible. Between 0.02 and 1.
 */
export function logShare(duration: number, shortest: number, longest: number): number {
  const log = (nanoseconds: number) => Math.log10(Math.max(1, nanoseconds));
  const [value, low, high] = [log(duration), log(shortest), log(longest)];
  if (high <= low) return 1;
  return Math.max(0.02, (value - low) / (high - low));
}
