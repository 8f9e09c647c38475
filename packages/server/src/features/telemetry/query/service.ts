import { isDeepStrictEqual } from 'node:util';
import {
  type Compiled,
  type CompileOptions,
  DIAGNOSTIC_CODES,
  type Diagnostic,
  type FieldCatalogue,
  type KnownMetrics,
} from '@fanion/oql';
import type { ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Clock } from '../../../platform/clock.ts';
import {
  type Budget,
  type Gateway,
  inlineCharacters,
  invalidQuery,
  type JsonAnswer,
  type ReadChanges,
  type Recompilable,
  type StreamedAnswer,
  scopeToCompile,
  textOf,
} from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { formatNs, parseWindow, type Window } from '../../../platform/time-window.ts';
import { TtlCache } from '../../../platform/ttl-cache.ts';
import type { FieldCatalogues } from '../fields/index.ts';
import { estimateOf, readEstimate } from './estimate-store.ts';

/** The scope of a query: the narrowest place that the caller named or is pinned to. */
export interface QueryScope {
  readonly workspace: WorkspaceRef;
  readonly project: ProjectRef | undefined;
  readonly environment: string | undefined;
  /** Who asks; absent: nobody whose permissions say which `changes` may be read. */
  readonly caller?: UserCaller | undefined;
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
/** Characters of a query with its parameters. */
const maxRemembered = 1_000;
export const maxJsonRows = 100_000;

/** An answer as a stream of rows, with its window. */
export interface StreamedResult extends StreamedAnswer {
  readonly from: string;
  readonly to: string;
}

export interface QueryService {
  /** @param how the age that the answer may have (0: never cached), and the lane, by default `interactive` */
  run(
    scope: QueryScope,
    input: QueryInput,
    signal: AbortSignal,
    how: { readonly maxAgeMs: number; readonly lane?: 'interactive' | 'dashboard' },
  ): Promise<{
    data: {
      columns: readonly { readonly name: string; readonly type: string }[];
      rows: JsonAnswer['rows'];
      kind: 'table' | 'timeseries' | 'scalar' | 'flamegraph';
    };
    meta: Record<string, unknown>;
  }>;
  /** The same as a stream of rows. Throws as `run` does until the first row or the end; later the iteration throws. */
  stream(scope: QueryScope, input: QueryInput, signal: AbortSignal): Promise<StreamedResult>;
  validate(
    scope: QueryScope,
    query: string,
    signal: AbortSignal,
  ): Promise<{ valid: boolean; diagnostics: readonly Diagnostic[] }>;
  explain(scope: QueryScope, input: QueryInput, signal: AbortSignal): Promise<Record<string, unknown>>;
}

export function createQueryService({
  gateway,
  clock,
  catalogues,
  changes,
}: {
  gateway: Gateway;
  clock: Clock;
  catalogues: FieldCatalogues;
  /** Reads OQL's source `changes`. */
  changes: (scope: QueryScope, caller: UserCaller) => ReadChanges;
}): QueryService {
  const { compiler } = gateway;
  /** Metrics by the texts that name them. */
  const named = new TtlCache<string, readonly string[]>({ clock, ttlMs: 600_000, max: 1_000 });

  const changesFor = (scope: QueryScope) => ({ changes: scope.caller && changes(scope, scope.caller) });

  function optionsOf(scope: QueryScope, input: QueryInput, limit: number): CompileOptions {
    const nowMs = clock.now();
    return {
      scope: scopeToCompile(placeOf(scope)),
      window: parseWindow(input, nowMs),
      limit,
      nowNs: BigInt(nowMs) * 1_000_000n,
      ...(input.params && { params: input.params }),
    };
  }

  /** @param types what its metrics probably are */
  async function compiled(
    scope: QueryScope,
    input: QueryInput,
    options: CompileOptions,
    signal: AbortSignal,
    types?: KnownMetrics,
  ): Promise<Ready> {
    const { window } = options;
    const asked = { workspace: scope.workspace.number, signal };
    const result = await judged(scope, input, window.fromNs, async (known) => {
      const compiled = await compiler.compile(input.query, { ...options, ...known, ...(types && { types }) }, asked);
      return { ...compiled, diagnostics: compiled.ok ? compiled.warnings : compiled.diagnostics };
    });
    if (result.ok)
      return {
        plan: result,
        types,
        text: textOf(input.query, input.params),
        window,
        async compileFor(types) {
          const again = await compiler.compile(input.query, { ...options, ...(types && { types }) }, asked);
          return again.ok ? again : undefined;
        },
      };
    // Of a guess: what is wrong with a query does not depend on it.
    if (types) return compiled(scope, input, options, signal);
    throw invalidQuery(result.diagnostics);
  }

  /**
   * Compiles a query, and asks the store for its answer already while the store is asked what attributes there are. The
   * statement is then compiled without knowing them. Most are the same when they are known; the answer of any other is thrown away.
   */
  async function withHeadStart(
    scope: QueryScope,
    input: QueryInput,
    options: CompileOptions,
    budget: Budget,
  ): Promise<Ready & { readonly ahead?: Promise<JsonAnswer> }> {
    const { signal } = budget;
    const place = placeOf(scope);
    const isKnown = catalogues.isKept(place, options.window.fromNs);
    const ready = compiled(scope, input, options, signal, gateway.guessKinds(place, textOf(input.query, input.params)));
    // A long text takes its turn in the compiler's thread, which is not worth it twice.
    if (isKnown || input.query.length > inlineCharacters) return ready;
    const guess = await compiler.compile(
      input.query,
      { ...options, catalogue: { fields: [] } },
      { workspace: place.workspace, signal },
    );
    if (!guess.ok || guess.metrics.length > 0) return ready;
    const wrong = new AbortController();
    const ahead = gateway.askJson(
      place,
      // Its warnings are about attributes that are not known yet.
      {
        plan: { ...guess, warnings: [] },
        limit: options.limit,
        text: textOf(input.query, input.params),
        ...changesFor(scope),
      },
      { ...budget, signal: AbortSignal.any([signal, wrong.signal]) },
    );
    // Its failure counts only where its answer would.
    ahead.catch(() => {});
    try {
      const known = await ready;
      if (isDeepStrictEqual(statementOf(known.plan), statementOf(guess))) return { ...known, ahead };
      wrong.abort();
      return known;
    } catch (error) {
      wrong.abort();
      throw error;
    }
  }

  /** The statement with the roll-ups that it would read now. If the store is down, they are unknown. */
  async function withRollUps(scope: QueryScope, { plan, compileFor }: Recompilable, signal: AbortSignal) {
    const rollUps = await gateway.rollUpsFor(placeOf(scope), plan, signal).catch(() => []);
    return rollUps.length === 0 ? plan : ((await compileFor({ metrics: [], rollUps })) ?? plan);
  }

  /** Checks a query against the catalogue. Only a fresh catalogue may claim that something was never seen. */
  async function judged<
    T extends { readonly diagnostics: readonly Diagnostic[]; readonly metrics?: readonly string[] },
  >(
    scope: QueryScope,
    input: Pick<QueryInput, 'query' | 'params'>,
    fromNs: bigint,
    judge: (known: { catalogue?: FieldCatalogue }) => Promise<T>,
  ): Promise<T> {
    for (const fresh of [false, true]) {
      const catalogue = await catalogues.seen(placeOf(scope), fromNs, fresh);
      if (catalogue === undefined) break;
      const judgement = await withMetrics(scope, input, fromNs, catalogue, judge);
      if (fresh || !judgement.diagnostics.some(({ code }) => code === DIAGNOSTIC_CODES.UNSEEN_FIELD)) return judgement;
    }
    return judge({});
  }

  /**
   * Metrics are looked up by name, and only if a query names some: there can be very many. A text that was judged before is
   * judged once, since its names are known.
   */
  async function withMetrics<T extends { readonly metrics?: readonly string[] }>(
    scope: QueryScope,
    { query, params }: Pick<QueryInput, 'query' | 'params'>,
    fromNs: bigint,
    catalogue: FieldCatalogue,
    judge: (known: { catalogue?: FieldCatalogue }) => Promise<T>,
  ): Promise<T> {
    const knowing = async (names: readonly string[]) => {
      const metrics = await catalogues.metricsOf(placeOf(scope), names, fromNs);
      return metrics && judge({ catalogue: { ...catalogue, metrics } });
    };
    // Others are not remembered, for their size.
    const key = JSON.stringify([query, params]);
    const isShort = key.length <= maxRemembered;
    const expected = isShort ? named.get(key) : undefined;
    const atOnce = expected && (await knowing(expected));
    if (atOnce && isDeepStrictEqual(atOnce.metrics, expected)) return atOnce;
    const judgement = await judge({ catalogue });
    const { metrics: names = [] } = judgement;
    if (names.length === 0) return judgement;
    if (isShort) named.set(key, names);
    return (await knowing(names)) ?? judgement;
  }

  return {
    async run(scope, input, signal, { maxAgeMs, lane = 'interactive' }) {
      const limit = input.limit ?? defaultResultRows;
      const began = clock.now();
      const options = optionsOf(scope, input, limit);
      const budget = { lane, signal, maxAgeMs };
      const { window, ahead, ...query } = await withHeadStart(scope, input, options, budget);
      const { plan } = query;
      const answer = await (ahead ??
        gateway.askJson(placeOf(scope), { ...query, limit, ...changesFor(scope) }, budget));
      return {
        data: { columns: answer.columns, rows: answer.rows, kind: answer.kind },
        meta: {
          took_ms: clock.now() - began,
          rows_read: answer.cost.rowsRead,
          bytes_read: answer.cost.bytesRead,
          truncated: answer.truncated,
          warnings: [...distinct([...plan.warnings, ...answer.plan.warnings]), ...answer.warnings],
          completeness: answer.completeness,
          from: formatNs(window.fromNs),
          to: formatNs(window.toNs),
          ...(answer.ageMs > 0 && { age_ms: answer.ageMs }),
        },
      };
    },

    async stream(scope, input, signal) {
      const limit = input.limit ?? defaultStreamRows;
      const { plan, window } = await compiled(scope, input, optionsOf(scope, input, limit), signal);
      const answer = await gateway.stream(
        placeOf(scope),
        { plan, limit, ...changesFor(scope) },
        { lane: 'interactive', signal },
      );
      return { ...answer, from: formatNs(window.fromNs), to: formatNs(window.toNs) };
    },

    async validate(scope, query, signal) {
      const nowNs = BigInt(clock.now()) * 1_000_000n;
      const asked = { workspace: scope.workspace.number, signal };
      const { valid, diagnostics } = await judged(scope, { query }, nowNs, (known) =>
        compiler.validate(query, known, asked),
      );
      return { valid, diagnostics };
    },

    async explain(scope, input, signal) {
      const { window, ...ready } = await compiled(scope, input, optionsOf(scope, input, defaultResultRows), signal);
      const plan = await withRollUps(scope, ready, signal);
      // It reads indexes only. If it fails (the store is down), the plan is still returned.
      const estimate = await readEstimate(gateway.lane('lookup'), placeOf(scope), plan, signal)
        .then(estimateOf)
        .catch(() => null);
      return {
        ...plan.explain,
        sql: plan.sql,
        params: Object.fromEntries(
          Object.entries(plan.params).map(([name, { value }]) => [
            name,
            typeof value === 'bigint' ? String(value) : value,
          ]),
        ),
        estimate,
        rollup: plan.rollUps
          .filter(({ read }) => read.length > 0)
          .map(({ metric, width, read }) => ({
            metric,
            step_seconds: width,
            ranges: read.map(({ fromNs, toNs }) => ({ from: formatNs(fromNs), to: formatNs(toNs) })),
          })),
        memory: gateway.mayAnswerFromMemory(plan),
        scope: {
          workspace: scope.workspace.id,
          project: scope.project?.id ?? null,
          environment: scope.environment ?? null,
        },
        window: { from: formatNs(window.fromNs), to: formatNs(window.toNs) },
        limits: {
          seconds: gateway.limits.maxSeconds,
          rows_read: gateway.limits.maxRowsToRead,
          memory_bytes: gateway.limits.maxMemoryBytes,
          result_rows: defaultResultRows,
          result_bytes: gateway.limits.maxResultBytes,
          row_bytes: gateway.limits.maxRowBytes,
        },
        warnings: plan.warnings,
      };
    },
  };
}

/** What decides the rows of an answer and how they are read. */
function statementOf({ sql, params, settings, columns, kind }: Compiled) {
  return { sql, params, settings, columns, kind };
}

function placeOf({ workspace, project, environment }: QueryScope): TelemetryScope {
  return { workspace: workspace.number, project: project?.number, environment };
}

interface Ready extends Recompilable {
  readonly window: Window;
}

/** The query was compiled with the fields that there are, and again for the metrics that there are; each may warn. */
function distinct(warnings: Compiled['warnings']): Compiled['warnings'] {
  return [...new Map(warnings.map((one) => [JSON.stringify(one), one])).values()];
}
