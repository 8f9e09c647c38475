import type { QueryHistory } from '../../../features/dashboards/saved-queries/index.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { Parameters, Place } from '../../read/request.ts';
import { explained } from './answer.ts';
import type { Line } from './line-rules.ts';
import { asked, readerOf, sortedLines } from './lines.ts';
import type { LogQuery, MetricQuery } from './logql/ast.ts';
import { parseLogql } from './logql/parse.ts';
import { dataOf, evaluated } from './metrics.ts';
import { type Grid, gridOf, isForward, lengthNs, limitOf, timeNs, windowOf } from './parameter-rules.ts';
import type { LokiLimits } from './settings.ts';
import { grouped } from './streams.ts';

export interface QueryParts {
  readonly gateway: Gateway;
  readonly history: Pick<QueryHistory, 'observe'>;
  readonly limits: LokiLimits;
  /** Longest time of a query. */
  readonly seconds: number;
  readonly now: () => number;
}

type Data = Record<string, unknown>;

export function instant(parts: QueryParts, place: Place, parameters: Parameters): Promise<Data> {
  return observed(parts, place, parameters, (place) => {
    const query = parseLogql(parameters.one('query') ?? '');
    const time = parameters.one('time');
    const startNs = time === undefined ? BigInt(parts.now()) * 1_000_000n : timeNs('time', time);
    if (query.kind === 'lines')
      throw fail('LOKI_PARAMETER_INVALID', {
        reason:
          'log queries are not supported as an instant query type, please change your query to a range query type',
      });
    return metric(parts, place, query, { startNs, stepNs: 0n, count: 1 });
  });
}

export function range(parts: QueryParts, place: Place, parameters: Parameters, isCategorized: boolean): Promise<Data> {
  return observed(parts, place, parameters, (place) => {
    const query = parseLogql(parameters.one('query') ?? '');
    if (query.kind !== 'lines') return metric(parts, place, query, gridOf(parameters, parts.now(), parts.limits.steps));
    return streams(parts, place, query, parameters, isCategorized);
  });
}

async function observed(
  { history, seconds }: QueryParts,
  place: Place,
  parameters: Parameters,
  answer: (place: Place) => Promise<Data>,
): Promise<Data> {
  const signal = AbortSignal.any([place.signal, AbortSignal.timeout(seconds * 1_000)]);
  const run = async () => {
    try {
      const data = await answer({ ...place, signal });
      return {
        data: { rows: { length: Array.isArray(data.result) ? data.result.length : 1 } },
        meta: {},
        result: data,
      };
    } catch (error) {
      if (signal.aborted && !place.signal.aborted)
        throw fail('QUERY_TOO_EXPENSIVE', { reason: `it ran longer than ${seconds} s` }, { cause: error });
      throw explained(error);
    }
  };
  const { result } = await history.observe({ ...place, query: parameters.one('query') ?? '' }, run);
  return result;
}

async function metric(parts: QueryParts, place: Place, query: MetricQuery, grid: Grid): Promise<Data> {
  const reader = readerOf(parts.gateway, parts.limits, place);
  return { ...dataOf(await evaluated(reader, query, grid), grid), stats: {} };
}

async function streams(
  parts: QueryParts,
  place: Place,
  query: LogQuery,
  parameters: Parameters,
  isCategorized: boolean,
): Promise<Data> {
  const window = windowOf(parameters, parts.now());
  const reader = readerOf(parts.gateway, parts.limits, place);
  const limit = limitOf(parameters, parts.limits.answerLines);
  const wanted = { window, limit, isForward: isForward(parameters), ...spacing(parameters) };
  const lines = await sortedLines(reader, await asked(reader, query, window), wanted);
  const result = await grouped(lines, isCategorized);
  return {
    ...{ resultType: 'streams', result, stats: {} },
    ...(isCategorized && { encodingFlags: ['categorize-labels'] }),
  };
}

/** `interval`: the least time between two lines. */
function spacing(parameters: Parameters): { keeps?: (line: Line) => boolean } {
  const text = parameters.one('interval');
  const least = text === undefined ? 0n : lengthNs('interval', text);
  if (least <= 0n) return {};
  let last: bigint | undefined;
  return {
    keeps({ timeNs }) {
      const apart = last === undefined ? least : timeNs > last ? timeNs - last : last - timeNs;
      if (apart < least) return false;
      last = timeNs;
      return true;
    },
  };
}
