import { isDeepStrictEqual } from 'node:util';
import {
  type Compiled,
  type CompileOptions,
  compile,
  DIAGNOSTIC_CODES,
  type Diagnostic,
  decodeRow,
  type FieldCatalogue,
  metricsIn,
  type ResultColumn,
  type ResultValue,
  validate,
} from '@fanion/oql';
import type { ProjectRef, WorkspaceRef } from '../../http/caller.ts';
import { type ClickHouse, regexFaultOf, storeErrorCode } from '../../platform/clickhouse/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { fail } from '../../platform/fail.ts';
import { fence, type TelemetryScope } from '../../platform/scoped-telemetry.ts';
import { formatNs, parseWindow, type Window } from '../../platform/time-window.ts';
import { boundParameters } from '../bound-parameters.ts';
import type { FieldCatalogues } from '../fields/index.ts';
import { estimateOf, readEstimate } from './estimate-store.ts';
import type { Turnstile } from './turnstile.ts';

/** What a query may see: the narrowest place that the caller named or is pinned to. */
export interface QueryScope {
  readonly workspace: WorkspaceRef;
  readonly project: ProjectRef | undefined;
  readonly environment: string | undefined;
}
export interface QueryInput {
  readonly query: string;
  readonly from?: string | number | undefined;
  readonly to?: string | number | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly limit?: number | undefined;
}

const defaultResultRows = 1_000;
/** Everything a statement may cost; beyond it the query fails, it is never cut. */
const queryLimits = {
  maxSeconds: 30,
  maxRowsToRead: 2_000_000_000,
  maxMemoryBytes: 2 * 1024 ** 3,
  maxResultRows: 100_001,
} as const;
const defaultStreamRows = 100_000;
export const maxJsonRows = 100_000;
/** A stream lasts as long as its reader takes; how long a reader may pause is the answer's matter. */
const streamSeconds = 600;

export interface QueryService {
  run(
    scope: QueryScope,
    input: QueryInput,
    signal: AbortSignal,
  ): Promise<{
    data: {
      columns: readonly { readonly name: string; readonly type: string }[];
      rows: readonly (readonly unknown[])[];
      kind: 'table' | 'timeseries' | 'scalar' | 'flamegraph';
    };
    meta: Record<string, unknown>;
  }>;
  /** The same as rows come. Throws as `run` does until there is a first row or none; later the iteration throws. */
  stream(scope: QueryScope, input: QueryInput, signal: AbortSignal): Promise<StreamedResult>;
  validate(scope: QueryScope, query: string): Promise<{ valid: boolean; diagnostics: readonly Diagnostic[] }>;
  explain(scope: QueryScope, input: QueryInput, signal: AbortSignal): Promise<Record<string, unknown>>;
}

export interface StreamedResult {
  readonly columns: readonly ResultColumn[];
  readonly from: string;
  readonly to: string;
  readonly batches: AsyncGenerator<ResultValue[][], void, undefined>;
  /** Rows given so far, and whether there are more than were asked for. */
  readonly told: { readonly rows: number; readonly truncated: boolean };
  /** Ends the query, wherever it stands. */
  close(): void;
}

export function createQueryService({
  clickhouse,
  clock,
  turnstile,
  catalogues,
}: {
  clickhouse: ClickHouse;
  clock: Clock;
  turnstile: Turnstile;
  catalogues: FieldCatalogues;
}): QueryService {
  async function compiled(scope: QueryScope, input: QueryInput, limit: number): Promise<Ready> {
    const nowMs = clock.now();
    const window = parseWindow(input, nowMs);
    const options: CompileOptions = {
      scope: {
        workspace: scope.workspace.number,
        ...(scope.project && { project: scope.project.number }),
        ...(scope.environment !== undefined && { environment: scope.environment }),
      },
      window,
      limit,
      nowNs: BigInt(nowMs) * 1_000_000n,
      ...(input.params && { params: input.params }),
    };
    const result = await judged(scope, window.fromNs, (known) => {
      const compiled = compile(input.query, { ...options, ...known });
      return { ...compiled, diagnostics: compiled.ok ? compiled.warnings : compiled.diagnostics, known };
    });
    if (result.ok) return { ...result, window, options: { ...options, ...result.known } };
    const first = result.diagnostics.find((diagnostic: Diagnostic) => diagnostic.severity === 'error');
    throw fail(
      'OQL_INVALID',
      { reason: first?.message ?? 'unknown' },
      { details: result.diagnostics.map((diagnostic) => ({ path: 'query', ...diagnostic })) },
    );
  }

  /** Judges a query by what has been seen. That something was never seen is only said by a catalogue of this moment. */
  async function judged<
    T extends { readonly diagnostics: readonly Diagnostic[]; readonly metrics?: readonly string[] },
  >(scope: QueryScope, fromNs: bigint, judge: (known: { catalogue?: FieldCatalogue }) => T): Promise<T> {
    for (const fresh of [false, true]) {
      const catalogue = await catalogues.seen(placeOf(scope), fromNs, fresh);
      if (catalogue === undefined) break;
      const judgement = await withMetrics(scope, fromNs, catalogue, judge);
      if (fresh || !judgement.diagnostics.some(({ code }) => code === DIAGNOSTIC_CODES.UNSEEN_FIELD)) return judgement;
    }
    return judge({});
  }

  /** Of metrics it is asked by name, and only where a query names some: there can be very many. */
  async function withMetrics<T extends { readonly metrics?: readonly string[] }>(
    scope: QueryScope,
    fromNs: bigint,
    catalogue: FieldCatalogue,
    judge: (known: { catalogue?: FieldCatalogue }) => T,
  ): Promise<T> {
    const judgement = judge({ catalogue });
    const { metrics: names = [] } = judgement;
    if (names.length === 0) return judgement;
    const metrics = await catalogues.metricsOf(placeOf(scope), names, fromNs);
    return metrics === undefined ? judgement : judge({ catalogue: { ...catalogue, metrics } });
  }

  /**
   * A query that reads attributes of any type, compiled to read only the maps of the types that they have had. Rows come
   * before their types are known, within one insert: so the store is asked for the types when no insert is under way,
   * and once more after the answer, which is thrown away if they have changed. What is left is an insert that begins
   * between the first two questions and ends after the last, with a type that the attribute never had: it is read
   * without that attribute once.
   */
  async function narrowed<T>(
    scope: QueryScope,
    input: QueryInput,
    query: Ready,
    signal: AbortSignal,
    run: (query: Compiled) => Promise<T>,
  ): Promise<T> {
    if (query.attributes.length === 0) return run(query);
    const place = placeOf(scope);
    const ask = () => catalogues.typesOf(place, query.attributes, query.reach, signal).catch(() => undefined);
    if (!(await catalogues.isSettled(place, signal).catch(() => false))) return run(query);
    const types = await ask();
    const cheaper = types && compile(input.query, { ...query.options, types });
    if (!cheaper?.ok) return run(query);
    const answer = await run(cheaper);
    return isDeepStrictEqual(await ask(), types) ? answer : run(query);
  }

  function settled(error: unknown): never {
    const code = storeErrorCode(error);
    const reason = code === undefined ? undefined : limitReasons[code];
    if (reason !== undefined) throw fail('QUERY_TOO_EXPENSIVE', { reason }, { cause: error });
    const regex = regexFaultOf(error);
    if (regex !== undefined) throw fail('OQL_INVALID', { reason: regex }, { cause: error });
    if (code === undefined)
      throw fail('STORE_UNAVAILABLE', { store: 'telemetry store' }, { retryAfterSeconds: 2, cause: error });
    throw error;
  }

  return {
    async run(scope, input, signal) {
      const limit = input.limit ?? defaultResultRows;
      const began = clock.now();
      const query = await compiled(scope, input, limit);
      const answer = await narrowed(scope, input, query, signal, ({ sql, params, settings }) =>
        turnstile.pass(scope.workspace.number, signal, () =>
          clickhouse
            .query(sql, {
              params: boundParameters(params),
              settings: { ...settings, ...fence(placeOf(scope)) },
              limits: queryLimits,
              signal,
            })
            .catch(settled),
        ),
      );
      const rows = answer.rows.slice(0, limit);
      return {
        data: { columns: query.columns, rows: rows.map((row) => decodeRow(query.columns, row)), kind: query.kind },
        meta: {
          took_ms: clock.now() - began,
          rows_read: answer.cost.rowsRead,
          bytes_read: answer.cost.bytesRead,
          truncated: answer.rows.length > limit,
          warnings: query.warnings,
          from: formatNs(query.window.fromNs),
          to: formatNs(query.window.toNs),
        },
      };
    },

    async stream(scope, input, signal) {
      const limit = input.limit ?? defaultStreamRows;
      const query = await compiled(scope, input, limit);
      const leave = await turnstile.enter(scope.workspace.number, signal);
      const ended = new AbortController();
      const rows = clickhouse.stream(query.sql, {
        params: boundParameters(query.params),
        settings: { ...query.settings, ...fence(placeOf(scope)) },
        limits: { ...queryLimits, maxSeconds: streamSeconds, maxResultRows: limit + 1 },
        signal: AbortSignal.any([signal, ended.signal]),
      });
      const close = () => {
        ended.abort();
        leave();
      };
      const first = await rows.next().catch((error: unknown) => {
        close();
        return settled(error);
      });
      const told = { rows: 0, truncated: false };
      const taken = (batch: unknown[][]): ResultValue[][] => {
        const kept = batch.slice(0, limit - told.rows);
        told.rows += kept.length;
        told.truncated ||= batch.length > kept.length;
        return kept.map((row) => decodeRow(query.columns, row));
      };
      async function* batches() {
        try {
          if (!first.done) yield taken(first.value);
          for await (const batch of rows) yield taken(batch);
        } finally {
          close();
        }
      }
      const { fromNs, toNs } = query.window;
      return {
        columns: query.columns,
        from: formatNs(fromNs),
        to: formatNs(toNs),
        batches: batches(),
        told,
        close,
      };
    },

    async validate(scope, query) {
      const nowNs = BigInt(clock.now()) * 1_000_000n;
      const metrics = metricsIn(query);
      const { valid, diagnostics } = await judged(scope, nowNs, (known) => ({ ...validate(query, known), metrics }));
      return { valid, diagnostics };
    },

    async explain(scope, input, signal) {
      const full = await compiled(scope, input, defaultResultRows);
      const { options, window } = full;
      const types =
        full.attributes.length === 0
          ? undefined
          : await catalogues.typesOf(placeOf(scope), full.attributes, full.reach, signal).catch(() => undefined);
      const cheaper = types && compile(input.query, { ...options, types });
      // What is shown is what would run.
      const query = { ...(cheaper?.ok ? cheaper : full), window };
      // It reads indexes only. That it fails (the store is away) is no reason to keep the plan back.
      const estimate = await readEstimate(
        clickhouse,
        query.sql,
        boundParameters(query.params),
        fence(placeOf(scope)),
        signal,
      )
        .then(estimateOf)
        .catch(() => null);
      return {
        ...query.explain,
        sql: query.sql,
        params: Object.fromEntries(
          Object.entries(query.params).map(([name, { value }]) => [
            name,
            typeof value === 'bigint' ? String(value) : value,
          ]),
        ),
        estimate,
        scope: {
          workspace: scope.workspace.id,
          project: scope.project?.id ?? null,
          environment: scope.environment ?? null,
        },
        window: { from: formatNs(query.window.fromNs), to: formatNs(query.window.toNs) },
        limits: {
          seconds: queryLimits.maxSeconds,
          rows_read: queryLimits.maxRowsToRead,
          memory_bytes: queryLimits.maxMemoryBytes,
          result_rows: defaultResultRows,
        },
        warnings: query.warnings,
      };
    },
  };
}

/** ClickHouse's codes for its limits, in words. */
const limitReasons: Readonly<Record<number, string>> = {
  158: 'it would read too many rows; narrow the time window or add a condition',
  159: `it ran longer than ${queryLimits.maxSeconds} s; narrow the time window or add a condition`,
  160: 'the store estimates that it would take too long; narrow the time window',
  241: 'it needs too much memory; group by less or narrow the time window',
  396: 'the result has too many rows',
};

function placeOf({ workspace, project, environment }: QueryScope): TelemetryScope {
  return { workspace: workspace.number, project: project?.number, environment };
}

interface Ready extends Compiled {
  readonly window: Window;
  readonly options: CompileOptions;
}
