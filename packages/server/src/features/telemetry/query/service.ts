import {
  type Compiled,
  type CompileOptions,
  compile,
  DIAGNOSTIC_CODES,
  type Diagnostic,
  decodeRow,
  type FieldCatalogue,
  metricsIn,
  validate,
} from '@fanion/oql';
import type { ProjectRef, WorkspaceRef } from '../../../http/caller.ts';
import type { ClickHouse } from '../../../platform/clickhouse/index.ts';
import type { Clock } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { fence, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { formatNs, parseWindow, type Window } from '../../../platform/time-window.ts';
import type { FieldCatalogues } from '../fields/index.ts';
import { boundParameters } from './bound-parameters.ts';
import { estimateOf, readEstimate } from './estimate-store.ts';
import { explainFailure, queryLimits } from './limits.ts';
import { runNarrowed } from './narrow.ts';
import { type StreamedResult, startStream } from './stream.ts';
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
const defaultStreamRows = 100_000;
export const maxJsonRows = 100_000;

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

  return {
    async run(scope, input, signal) {
      const limit = input.limit ?? defaultResultRows;
      const began = clock.now();
      const query = await compiled(scope, input, limit);
      const place = placeOf(scope);
      const compileWith = (types: FieldCatalogue) => narrowedTo(types, input.query, query);
      const question = { catalogues, place, query, compileWith, signal };
      const answer = await runNarrowed(question, ({ sql, params, settings }) =>
        turnstile.pass(scope.workspace.number, signal, () =>
          clickhouse
            .query(sql, {
              params: boundParameters(params),
              settings: { ...settings, ...fence(place) },
              limits: queryLimits,
              signal,
            })
            .catch(explainFailure),
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
      return startStream(clickhouse, query, { place: placeOf(scope), limit, signal, leave });
    },

    async validate(scope, query) {
      const nowNs = BigInt(clock.now()) * 1_000_000n;
      const metrics = metricsIn(query);
      const { valid, diagnostics } = await judged(scope, nowNs, (known) => ({ ...validate(query, known), metrics }));
      return { valid, diagnostics };
    },

    async explain(scope, input, signal) {
      const full = await compiled(scope, input, defaultResultRows);
      const { window } = full;
      const types =
        full.attributes.length + full.metrics.length === 0
          ? undefined
          : await catalogues.typesOf(placeOf(scope), full, full.reach, signal).catch(() => undefined);
      // What is shown is what would run.
      const query = (types && narrowedTo(types, input.query, full)) ?? full;
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
        window: { from: formatNs(window.fromNs), to: formatNs(window.toNs) },
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

/** The same query, reading only the maps of the types that its attributes have had. */
function narrowedTo(types: FieldCatalogue, text: string, { options }: Ready): Compiled | undefined {
  const narrow = compile(text, { ...options, types });
  return narrow.ok ? narrow : undefined;
}

function placeOf({ workspace, project, environment }: QueryScope): TelemetryScope {
  return { workspace: workspace.number, project: project?.number, environment };
}

interface Ready extends Compiled {
  readonly window: Window;
  readonly options: CompileOptions;
}
