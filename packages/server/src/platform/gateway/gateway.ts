import {
  bindChanges,
  type Compiled,
  type CompiledRelation,
  decodeRow,
  type KnownMetrics,
  type MetricRollUps,
  type ResultValue,
} from '@fanion/oql';
import type { WalSignal } from '@fanion/telemetry';
import { mapInSlices } from '../breath.ts';
import type { ClickHouse, QueryLimits } from '../clickhouse/index.ts';
import type { Clock } from '../clock.ts';
import { Failure, fail } from '../fail.ts';
import type { ReadRows, RecentPoints, RecentState } from '../recent-points/index.ts';
import {
  fence,
  type HiddenPlace,
  type HiddenPlaces,
  type ScopedTelemetry,
  type TelemetryScope,
  type TenantTable,
} from '../scoped-telemetry.ts';
import { countAnchorless } from './anchorless.ts';
import type { AnswerReader, ReadAnswer } from './answer-reader.ts';
import { createPlacesFirst } from './attribute-places.ts';
import { boundParameters } from './bound-parameters.ts';
import { type CacheState, createAnswerCache } from './cache.ts';
import type { Compiler } from './compiler.ts';
import { type Completeness, completenessOf, signalsRead, type Unstored } from './completeness-rules.ts';
import { EncodedRows } from './encoded-rows.ts';
import { explainFailure } from './failures.ts';
import { invalidQuery } from './invalid-query.ts';
import { createLanes, type Lane, type LaneLimits, type LaneState } from './lanes.ts';
import { createKindsFirst, type Recompilable } from './metric-kinds.ts';
import { refuseEndless, secondsLeft } from './quantile-cost.ts';
import type {
  Answer,
  Around,
  Budget,
  JsonAnswer,
  Question,
  ReadChanges,
  Related,
  RelationQuestion,
  StreamedAnswer,
} from './question.ts';
import { recentAnswer } from './recent-answer.ts';
import { findRollUps } from './roll-ups.ts';
import { whenThereIsRoom } from './room.ts';
import { createSampledShare } from './sampled-share.ts';
import { createTextsFirst } from './texts-first.ts';
import { createTimeLimit, type Timed } from './time-limit.ts';

/**
 * The only access to a tenant's telemetry. Every read waits in a lane, runs read-only, restricted to its scope and
 * within limits of time, rows, memory and bytes, and fails with an error of the registry: `OQL_INVALID`,
 * `QUERY_TOO_EXPENSIVE`, `RESULT_TOO_LARGE`, `QUERY_QUEUE_FULL`, `STORE_UNAVAILABLE`.
 */
export interface Gateway {
  ask(scope: TelemetryScope, question: Question, budget: Budget): Promise<Answer>;
  /** The same for an answer that is only sent on: a large one costs the main thread little. */
  askJson(scope: TelemetryScope, question: Question, budget: Budget): Promise<JsonAnswer>;
  /** The same as a stream of rows. Throws as `ask` does until the first row or the end; later the iteration throws. */
  stream(scope: TelemetryScope, question: Question, budget: Budget): Promise<StreamedAnswer>;
  /**
   * Runs a statement around queries, each of which is a table in it: `SELECT … FROM (${relations.total.sql})`. The
   * relations contain the scope; other tables of the statement need it too. Throws as `ask` does.
   * @param questions the queries by name, of lower-case letters
   * @param around the statement, from the compiled relations
   */
  relate<Row extends object, Name extends string>(
    scope: TelemetryScope,
    questions: Readonly<Record<Name, RelationQuestion>>,
    around: (relations: Readonly<Record<Name, CompiledRelation>>) => Around,
    budget: Budget,
  ): Promise<Related<Row, Name>>;
  /** Reads with SQL of a feature's `store.ts`, in one lane. */
  lane(lane: Lane): ScopedTelemetry;
  /** Reads rows as bytes, with SQL of `recent-points/points-store.ts`, in the lane of background jobs. */
  readonly readRows: ReadRows;
  /** Compiles texts for the places in which the values of their names are; see `createPlacesFirst`. */
  readonly compiler: Compiler;
  /** What the metrics of a query were when it was last asked, to compile it for them; see `Recompilable.types`. */
  guessKinds(scope: TelemetryScope, text: string): KnownMetrics | undefined;
  /** Which roll-ups a query would be answered from now; empty if from none. Throws if the store does not answer. */
  rollUpsFor(scope: TelemetryScope, plan: Compiled, signal: AbortSignal): Promise<readonly MetricRollUps[]>;
  /** Whether recent points in memory can answer a query on this server, once its metric is kept. */
  mayAnswerFromMemory(plan: Compiled): boolean;
  /** Limits of a read unless its budget sets others. */
  readonly limits: QueryLimits;
  state(): {
    readonly lanes: Readonly<Record<Lane, LaneState>>;
    readonly cache: CacheState;
    /** Undefined if no recent points are kept on this server. */
    readonly recent: RecentState | undefined;
  };
}

export interface GatewayOptions {
  readonly clickhouse: Pick<ClickHouse, 'query' | 'queryRows' | 'open' | 'stream' | 'command'>;
  readonly clock: Clock;
  readonly compiler: Compiler;
  readonly answers: AnswerReader;
  /** Recent points in memory; undefined: all questions go to the store. */
  readonly recent?: Pick<RecentPoints, 'mayAnswer' | 'asked' | 'answer' | 'state'> | undefined;
  /** What was acknowledged for a scope and cannot be queried yet. */
  readonly unstored: (scope: TelemetryScope, signals: readonly WalSignal[]) => Promise<Unstored>;
  /** Tables with tenants' rows; every statement is restricted to the tenant in each. */
  readonly tenantTables: readonly TenantTable[];
  /** Rows of removed places answer nobody, though they are stored for a while. */
  readonly hiddenPlaces: HiddenPlaces;
  readonly lanes: Readonly<Record<Lane, LaneLimits>>;
  /** Longest run of a read, unless its budget sets another limit. */
  readonly seconds: number;
  readonly bytes: {
    /** Of a complete answer. */
    readonly result: number;
    /** Of one row. */
    readonly row: number;
    /** Of a streamed answer. */
    readonly export: number;
    /** Of the cache. */
    readonly cache: number;
  };
}

/** An answer, with what was not stored when its statement began. */
interface KnownAnswer extends ReadAnswer {
  readonly unstored: Unstored;
  readonly missingAnchors: number | null;
  readonly sampledShare: number | null;
  /** Of the query as it was compiled for the metrics that there are. */
  readonly planWarnings: Compiled['warnings'];
}

/** Of people. Alert rules and jobs ask the store: they would keep metrics in memory that nobody waits for. */
const recentLanes: ReadonlySet<Lane> = new Set(['interactive', 'dashboard']);

/** Longest stream, limited by its reader; the sender of the response limits how long a reader may pause. */
const streamSeconds = 600;

export function createGateway({
  clickhouse,
  clock,
  compiler: plainCompiler,
  answers,
  recent,
  unstored,
  tenantTables,
  hiddenPlaces,
  lanes: laneLimits,
  seconds,
  bytes,
}: GatewayOptions): Gateway {
  const limits: QueryLimits = {
    maxSeconds: seconds,
    maxRowsToRead: 2_000_000_000,
    maxMemoryBytes: 2 * 1024 ** 3,
    maxResultRows: 200_000,
    maxResultBytes: bytes.result,
    maxRowBytes: bytes.row,
  };
  const fenced = async (scope: TelemetryScope) => fence(scope, tenantTables, await hiddenPlaces.of(scope.workspace));
  const lanes = createLanes(laneLimits);
  const inTime = createTimeLimit(clickhouse);
  const textsFirst = createTextsFirst(clock);
  const cache = createAnswerCache<KnownAnswer>({ clock, maxBytes: bytes.cache, sizeOf: (kept) => kept.bytes });

  async function prepared(scope: TelemetryScope, question: Question, budget: Budget): Promise<Recompilable> {
    if ('plan' in question) return { compileFor: async () => undefined, ...question };
    const { oql, window, limit, params } = question;
    const options = {
      scope: scopeToCompile(scope),
      window,
      limit,
      nowNs: BigInt(clock.now()) * 1_000_000n,
      ...(params && { params }),
    };
    const asked = { workspace: scope.workspace, signal: budget.signal };
    const compileFor = async (types: KnownMetrics | undefined) => {
      const again = await compiler.compile(oql, { ...options, ...(types && { types }) }, asked);
      return again.ok ? again : undefined;
    };
    const text = textOf(oql, params);
    const types = kindsFirst.guess(scope, text);
    const guessed = types && (await compileFor(types));
    if (guessed) return { plan: guessed, types, text, compileFor };
    const result = await compiler.compile(oql, options, asked);
    if (result.ok) return { plan: result, text, compileFor };
    throw invalidQuery(result.diagnostics);
  }

  /** Runs a read in its lane. It leaves the lane when it no longer runs in the store. */
  async function pass<T>(
    scope: TelemetryScope,
    { lane, signal }: Budget,
    applied: QueryLimits,
    read: (timed: Timed) => Promise<T>,
  ): Promise<T> {
    const leave = await lanes.enter(lane, scope.workspace, signal);
    let ended: Promise<void> | undefined;
    try {
      return await inTime(
        applied,
        signal,
        (timed) => whenThereIsRoom(() => read(timed), timed.signal),
        (ending) => {
          ended = ending;
        },
      );
    } catch (error) {
      // Nobody waits for it: an error of an aborted query is not a failure of the store.
      signal.throwIfAborted();
      throw explainFailure(error, applied);
    } finally {
      if (ended) void ended.then(leave);
      else leave();
    }
  }

  /** Runs a statement and reads its answer. */
  async function run(
    scope: TelemetryScope,
    plan: Compiled,
    limit: number,
    budget: Budget,
    read: AnswerReader['read'],
  ): Promise<ReadAnswer> {
    const applied = { ...limits, maxResultRows: limit + 1, ...budget.limits };
    return pass(scope, budget, applied, async ({ signal, queryId }) => {
      const settings = { ...plan.settings, ...(await fenced(scope)) };
      const { stream } = await textsFirst(scope, plan, ({ sql, params }) =>
        clickhouse.open(sql, {
          params: boundParameters(params),
          settings,
          limits: applied,
          signal,
          queryId: queryId(),
        }),
      );
      const { maxResultBytes, maxRowBytes } = applied;
      const job = { columns: plan.columns, limit, limits: { maxResultBytes, maxRowBytes } };
      return read(stream, job, signal);
    });
  }

  /** The answer from recent points in memory; undefined: the store has to be asked. */
  async function runRecent(
    scope: TelemetryScope,
    plan: Compiled,
    limit: number,
    budget: Budget,
  ): Promise<ReadAnswer | undefined> {
    const question = plan.recent;
    if (!recentLanes.has(budget.lane)) return undefined;
    if (question === undefined || recent?.asked(scope.workspace, question) !== true) return undefined;
    const applied = { ...limits, ...budget.limits };
    return pass(scope, budget, applied, async () => {
      const hidden = await hiddenPlaces.of(scope.workspace);
      const answer = await recent.answer(
        { workspace: scope.workspace, question, limit: limit + 1, hidden },
        budget.signal,
      );
      return answer && recentAnswer(answer, { columns: plan.columns, limit, limits: applied });
    });
  }

  /** Asks recent points, the store, or the cache. */
  async function answered(
    scope: TelemetryScope,
    question: Question,
    budget: Budget,
    form: 'values' | 'json',
  ): Promise<JsonAnswer> {
    const { limit } = question;
    const query = await prepared(scope, question, budget);
    const changes = await changesOf(query.plan, question, budget.signal);
    const plan = bindChanges(query.plan, changes.rows);
    const begun = clock.now();
    await refuseEndless(lane('lookup'), scope, plan, { ...limits, ...budget.limits }, budget.signal);
    const maxSeconds = secondsLeft({ ...limits, ...budget.limits }, (clock.now() - begun) / 1000);
    const { maxAgeMs = 0, signal } = budget;
    const read = form === 'json' ? answers.read : answers.readValues;
    const answerNow = async (signal: AbortSignal): Promise<KnownAnswer> => {
      // Before the statement begins: what it does not find is among this.
      const missing = await unstored(scope, signalsRead(plan));
      const answer =
        // Recent points answer only where each series has an anchor, and are not sampled.
        (await runRecent(scope, plan, limit, { ...budget, signal }).then(
          (recent) => recent && { ...recent, missingAnchors: 0, sampledShare: 1, planWarnings: plan.warnings },
        )) ??
        (await kindsFirst.run(scope, query, signal, async (one) => {
          const [answer, missingAnchors, sampledShare] = await Promise.all([
            run(
              scope,
              bindChanges(one, changes.rows),
              limit,
              { ...budget, signal, limits: { ...budget.limits, maxSeconds } },
              read,
            ),
            // Alert rules have no use for these.
            budget.lane === 'alert' ? null : countAnchorless(lane('lookup'), scope, one, signal),
            budget.lane === 'alert' ? null : sampledShareOf(scope, bindChanges(one, changes.rows), signal),
          ]);
          return { ...answer, missingAnchors, sampledShare, planWarnings: one.warnings };
        }));
      return { ...answer, unstored: missing };
    };
    const { value, ageMs } =
      maxAgeMs === 0
        ? { value: await answerNow(signal), ageMs: 0 }
        : await cache.get(
            keyOf(scope, question, plan, form, await hiddenPlaces.of(scope.workspace)),
            maxAgeMs,
            signal,
            answerNow,
          );
    const { rows, truncated, cost, planWarnings } = value;
    const completeness = completenessOf(plan, value);
    return {
      plan: { ...plan, warnings: planWarnings },
      columns: plan.columns,
      kind: plan.kind,
      rows,
      truncated,
      cost,
      completeness,
      warnings: changes.warnings,
      ageMs,
    };
  }

  const lane = (lane: Lane): ScopedTelemetry => ({
    async rows<Row extends object>(
      scope: TelemetryScope,
      statement: string,
      params: Readonly<Record<string, unknown>>,
      signal: AbortSignal,
      more: { settings?: Readonly<Record<string, string | number>>; limits?: Partial<QueryLimits> } = {},
    ): Promise<Row[]> {
      const applied = { ...limits, ...more.limits };
      return pass(scope, { lane, signal }, applied, async ({ signal, queryId }) =>
        clickhouse.queryRows<Row>(statement, {
          params: { ...scope, ...params },
          settings: { ...more.settings, ...(await fenced(scope)) },
          limits: applied,
          signal,
          queryId: queryId(),
        }),
      );
    },
  });

  async function relate<Row extends object, Name extends string>(
    scope: TelemetryScope,
    questions: Readonly<Record<Name, RelationQuestion>>,
    around: (relations: Readonly<Record<Name, CompiledRelation>>) => Around,
    budget: Budget,
  ): Promise<Related<Row, Name>> {
    const { signal } = budget;
    const named = Object.entries(questions) as [Name, RelationQuestion][];
    const compiled = await Promise.all(
      named.map(async ([name, { oql, window, bucketNs, rows, numbers, mostlyText }]) => {
        const options = {
          scope: scopeToCompile(scope),
          window,
          nowNs: BigInt(clock.now()) * 1_000_000n,
          // The values of a relation are numbered after its name: `a_1` and `ab_1` never meet.
          prefix: `${name}_`,
          ...(bucketNs !== undefined && { bucketNs }),
          ...(rows === true && { rows }),
          ...(numbers !== undefined && { numbers }),
          ...(mostlyText !== undefined && { mostlyText }),
        };
        const result = await compiler.compileRelation(oql, options, { workspace: scope.workspace, signal });
        if (!result.ok) throw invalidQuery(result.diagnostics);
        return [name, result] as const;
      }),
    );
    const relations = Object.fromEntries(compiled) as Record<Name, CompiledRelation>;
    const { sql, params, settings: ownSettings } = around(relations);
    const applied = { ...limits, ...budget.limits };
    const values = compiled.map(([, relation]) => boundParameters(relation.params));
    const settings = compiled.map(([, relation]) => relation.settings);
    return pass(scope, budget, applied, async ({ signal, queryId }) => {
      const answer = await clickhouse.query(sql, {
        params: Object.assign({ ...scope, ...params }, ...values),
        settings: Object.assign({}, ...settings, ownSettings, await fenced(scope)),
        limits: applied,
        signal,
        queryId: queryId(),
      });
      const rows = await mapInSlices(
        answer.rows,
        (row) => Object.fromEntries(answer.columns.map(({ name }, at) => [name, row[at]])) as Row,
      );
      return { rows, relations, cost: answer.cost };
    });
  }

  const compiler = createPlacesFirst({ compiler: plainCompiler, telemetry: lane('lookup'), clock });
  const kindsFirst = createKindsFirst({ telemetry: lane('lookup'), clock });
  const sampledShareOf = createSampledShare({ telemetry: lane('lookup'), clock });

  return {
    compiler,
    guessKinds: kindsFirst.guess,
    mayAnswerFromMemory: (plan) => plan.recent !== undefined && recent?.mayAnswer(plan.recent) === true,
    rollUpsFor: async (scope, plan, signal) =>
      plan.rollUps.length === 0 ? [] : findRollUps(lane('lookup'), scope, plan, signal),
    limits,
    async ask(scope, question, budget) {
      const { rows, ...answer } = await answered(scope, question, budget, 'values');
      if (rows instanceof EncodedRows) throw new Error('the rows were asked for as values');
      return { ...answer, rows };
    },

    askJson: (scope, question, budget) => answered(scope, question, budget, 'json'),

    async stream(scope, question, budget) {
      const { limit } = question;
      const { plan: unbound } = await prepared(scope, question, budget);
      const plan = bindChanges(unbound, (await changesOf(unbound, question, budget.signal)).rows);
      const applied: QueryLimits = {
        ...limits,
        maxSeconds: streamSeconds,
        maxResultRows: limit + 1,
        maxResultBytes: bytes.export,
        ...budget.limits,
      };
      const leave = await lanes.enter(budget.lane, scope.workspace, budget.signal);
      const ended = new AbortController();
      // Rows of a removed place would be sent for minutes.
      const forget = hiddenPlaces.onRemoved((workspace) => {
        if (workspace === undefined || workspace === scope.workspace)
          ended.abort(fail('NOT_FOUND', { resource: 'telemetry of a project that was removed meanwhile' }));
      });
      const removedMeanwhile = () => (ended.signal.reason instanceof Failure ? ended.signal.reason : undefined);
      const close = () => {
        forget();
        ended.abort();
        leave();
      };
      const settings = await fenced(scope).catch((error: unknown) => {
        close();
        throw error;
      });
      const signal = AbortSignal.any([budget.signal, ended.signal]);
      const missing = unstored(scope, signalsRead(plan));
      const missingAnchors = countAnchorless(lane('lookup'), scope, plan, signal).catch(() => null);
      const sampledShare = sampledShareOf(scope, plan, signal).catch(() => null);
      // It is awaited after the last row.
      missing.catch(() => {});
      const rows = clickhouse.stream(plan.sql, {
        params: boundParameters(plan.params),
        settings: { ...plan.settings, ...settings },
        limits: applied,
        signal,
      });
      const first = await rows.next().catch((error: unknown) => {
        close();
        budget.signal.throwIfAborted();
        throw explainFailure(removedMeanwhile() ?? error, applied);
      });
      const told: { rows: number; truncated: boolean; completeness?: Completeness } = { rows: 0, truncated: false };
      const taken = (batch: unknown[][]): ResultValue[][] => {
        const kept = batch.slice(0, limit - told.rows);
        told.rows += kept.length;
        told.truncated ||= batch.length > kept.length;
        return kept.map((row) => decodeRow(plan.columns, row));
      };
      async function* batches() {
        try {
          if (!first.done) yield taken(first.value);
          for await (const batch of rows) yield taken(batch);
          told.completeness = completenessOf(plan, {
            unstored: await missing,
            missingAnchors: await missingAnchors,
            sampledShare: await sampledShare,
          });
        } catch (error) {
          throw explainFailure(removedMeanwhile() ?? error, applied);
        } finally {
          close();
        }
      }
      return { columns: plan.columns, batches: batches(), told, close };
    },

    relate,

    lane,

    readRows(scope, statement, params, { signal, maxResultRows, take }) {
      const applied = { ...limits, maxResultRows, maxResultBytes: 256 * maxResultRows };
      return pass(scope, { lane: 'background', signal }, applied, async ({ signal, queryId }) => {
        const { stream } = await clickhouse.open(
          statement,
          {
            params: { ...scope, ...params },
            settings: await fenced(scope),
            limits: applied,
            signal,
            queryId: queryId(),
          },
          'RowBinary',
        );
        // A socket's buffers share their memory with others and cannot be transferred.
        for await (const chunk of stream) take(new Uint8Array(chunk));
      });
    },

    state: () => ({
      lanes: {
        interactive: lanes.state('interactive'),
        dashboard: lanes.state('dashboard'),
        alert: lanes.state('alert'),
        background: lanes.state('background'),
        lookup: lanes.state('lookup'),
      },
      cache: cache.state(),
      recent: recent?.state(),
    }),
  };
}

/** The changes that a query reads. */
async function changesOf(plan: Compiled, question: Question, signal: AbortSignal): ReturnType<ReadChanges> {
  if (plan.changes === undefined) return { rows: [], warnings: [] };
  if (question.changes === undefined)
    throw fail('OQL_INVALID', {
      reason: '`changes` shows each person what they may read, so only people can query it',
    });
  return question.changes(plan.changes.reach, signal);
}

/** The scope of a query in the form of the compiler. */
export function scopeToCompile({ workspace, project, environment }: TelemetryScope) {
  return { workspace, ...(project !== undefined && { project }), ...(environment !== undefined && { environment }) };
}

/** A query with its parameters. */
export function textOf(oql: string, params: Readonly<Record<string, unknown>> | undefined): string {
  return JSON.stringify([oql, params]);
}

/**
 * The query with its window, parameters and bound changes. The statement of a query would contain the present time, up to which a bucket that is
 * not over counts; a caller accepts how old that is along with the answer.
 */
function keyOf(
  scope: TelemetryScope,
  question: Question,
  { normalized, window, sql, params, changes }: Compiled,
  form: string,
  hidden: readonly HiddenPlace[],
): string {
  const text = 'oql' in question ? textOf(normalized, question.params) : question.text;
  const bound = changes && params[changes.parameter]?.value;
  const statement = () => [sql, Object.entries(params).map(([name, { type, value }]) => [name, type, plain(value)])];
  const asked = text === undefined ? statement() : [text, String(window.fromNs), String(window.toNs), bound];
  return JSON.stringify([scope.workspace, scope.project, scope.environment, question.limit, form, asked, hidden]);
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return Array.isArray(value) ? value.map(plain) : value;
}
