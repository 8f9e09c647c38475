import { type QueryLanguage, type RouteResponse, runQuery } from '@fanion/contract';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { useScope } from '../app/session.ts';
import { useEnvironment, useTimeRange } from '../app/time-range.ts';
import type { ChartWindow } from '../ui/chart/options.ts';
import { resolveRange, type TimeRange } from '../ui/time/time-range.ts';
import { completenessTexts } from './completeness.ts';

export interface OqlRequest {
  query: string;
  ws: string;
  project: string;
  environment: string | undefined;
  range: TimeRange;
  limit?: number | undefined;
  /** By default OQL. */
  language?: QueryLanguage | undefined;
  /** Of PromQL, by default a hundredth of the range. */
  step?: string | undefined;
}

export interface OqlAnswer {
  result: Result;
  took_ms: number | null;
  rows_read: number | null;
  bytes_read: number | null;
  truncated: boolean;
  warnings: string[];
  /** The window of the request by this machine's clock, with its partial buckets; in epoch milliseconds. */
  window: ChartWindow | undefined;
}

export type Result = RouteResponse<typeof runQuery>;

/** Runs a query in a scope. Aborting (leaving the page, a newer query) also stops it in the store. */
export async function askOql(request: OqlRequest, signal: AbortSignal): Promise<OqlAnswer> {
  const { query, ws, project, environment, range, limit, language, step } = request;
  const resolved = resolveRange(range, Date.now());
  const { data, meta } = await call(runQuery, {
    params: { ws },
    body: {
      query,
      from: range.from,
      to: range.to,
      project,
      ...(environment !== undefined && { environment }),
      ...(limit !== undefined && { limit }),
      ...(language !== undefined && { query_language: language }),
      ...(step !== undefined && { step }),
    },
    signal,
  });
  const number = (value: unknown) => (typeof value === 'number' ? value : null);
  return {
    result: data,
    took_ms: number(meta.took_ms),
    rows_read: number(meta.rows_read),
    bytes_read: number(meta.bytes_read),
    truncated: meta.truncated === true,
    warnings: [
      ...(Array.isArray(meta.warnings) ? meta.warnings.map(warningText) : []),
      ...completenessTexts(meta.completeness),
    ],
    window: resolved ? { ...resolved, partial: partialTimes(meta) } : undefined,
  };
}

export function oqlQuery(request: OqlRequest) {
  return queryOptions({
    queryKey: [runQuery.id, request] as const,
    queryFn: ({ signal }) => askOql(request, signal),
  });
}

/** The starts of the buckets that an answer has only part of. */
export function partialTimes(meta: Readonly<Record<string, unknown>>): number[] {
  const { completeness } = meta;
  const starts =
    typeof completeness === 'object' && completeness !== null && 'partial_buckets' in completeness
      ? completeness.partial_buckets
      : undefined;
  return Array.isArray(starts) ? starts.map((start) => Date.parse(String(start))) : [];
}

function warningText(warning: unknown): string {
  if (typeof warning === 'string') return warning;
  if (typeof warning === 'object' && warning !== null && 'message' in warning) return String(warning.message);
  return JSON.stringify(warning);
}

/** The same bound to the page's workspace, project, environment and time range. Null runs nothing. */
export function useOql(
  query: string | null,
  {
    keep = false,
    range,
    ...options
  }: { limit?: number; language?: QueryLanguage; range?: TimeRange; keep?: boolean } = {},
) {
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const page = useTimeRange();
  return useQuery({
    ...oqlQuery({ query: query ?? '', ws, project, environment, range: range ?? page.range, ...options }),
    enabled: query !== null,
    ...(keep && { placeholderData: keepPreviousData }),
  });
}

/** A string literal of OQL, which does not have the escapes `\b` and `\f` of JSON. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(/\\(.)/g, (written, code: string) =>
    code === 'b' ? '\\u0008' : code === 'f' ? '\\u000c' : written,
  );
}

/** Joins conditions of a `where`; empty without conditions. */
export function whereStage(conditions: readonly (string | false | undefined)[]): string {
  const given = conditions.filter(
    (condition): condition is string => typeof condition === 'string' && condition !== '',
  );
  return given.length === 0 ? '' : ` | where ${given.join(' and ')}`;
}
