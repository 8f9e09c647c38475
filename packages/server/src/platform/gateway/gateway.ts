import { bindChanges, type Compiled, type CompiledRelation, type Diagnostic } from '@fanion/oql';
import type { WalSignal } from '@fanion/telemetry';
import type { QueryLimits, Shard } from '../clickhouse/index.ts';
import type { Clock } from '../clock.ts';
import type { ReadRows, RecentPoints, RecentState } from '../recent-points/index.ts';
import { type ScopedTelemetry, scopeToCompile, type TelemetryScope } from '../scoped-telemetry.ts';
import { countAnchorless } from './answer/anchorless.ts';
import type { AnswerReader, ReadAnswer } from './answer/answer-reader.ts';
import { AnswerCache, type CacheState } from './answer/cache.ts';
import { keyOf } from './answer/cache-key.ts';
import { completenessOf, signalsRead, type Unstored } from './answer/completeness-rules.ts';
import { EncodedRows } from './answer/encoded-rows.ts';
import { createSampledShare } from './answer/sampled-share.ts';
import { Knowledge } from './know/knowledge.ts';
import { changesOf } from './plan/changes.ts';
import type { Compiler } from './plan/compiler.ts';
import { invalidQuery } from './plan/invalid-query.ts';
import { createPlacesFirst } from './plan/places-first.ts';
import { type Asked, type Planned, Planner, type Refuted } from './plan/planner.ts';
import { refuseEndless, secondsLeft } from './plan/quantile-cost.ts';
import type {
  Answer,
  Around,
  Budget,
  JsonAnswer,
  Question,
  Related,
  RelationQuestion,
  StreamedAnswer,
} from './question.ts';
import type { Lane, LaneState } from './run/lanes.ts';
import { createReads, type ReadBlocks, type ReadsOptions } from './run/reads.ts';
import { relate } from './run/relate.ts';
import { askShards, type FindShards, leavingOut, warningsOf } from './run/shards-away.ts';
import { runFromMemory, runStatement } from './run/statement.ts';
import { runStream } from './run/stream.ts';
import type { QuerySettings } from './settings.ts';

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
  /** Reads many numbers as columns, with SQL of a `store.ts`. */
  readonly readBlocks: ReadBlocks;
  /** Compiles texts for the places in which the values of their names are; see `createPlacesFirst`. */
  readonly compiler: Compiler;
  /** How a question would be asked now. Throws as `ask` does for one that is invalid. */
  plan(scope: TelemetryScope, question: Question, signal: AbortSignal): Promise<Planned>;
  /** Checks a query without running it, with hints from what was sent. */
  validate(
    scope: TelemetryScope,
    text: string,
    signal: AbortSignal,
  ): Promise<{ readonly valid: boolean; readonly diagnostics: readonly Diagnostic[] }>;
  /** Whether recent points in memory can answer a query on this server, once its metric is kept. */
  mayAnswerFromMemory(plan: Compiled): boolean;
  /** Limits of a read unless its budget sets others. */
  readonly limits: QueryLimits;
  state(): {
    readonly lanes: Readonly<Record<Lane, LaneState>>;
    /** Statements that the store was asked since the start. */
    readonly begun: Readonly<Record<Lane, number>>;
    readonly cache: CacheState;
    /** How often a statement was asked again since the start, by what had not held. */
    readonly refuted: Readonly<Record<Refuted, number>>;
    /** Undefined if no recent points are kept on this server. */
    readonly recent: RecentState | undefined;
  };
}

export interface GatewayOptions extends Omit<ReadsOptions, 'limits'>, Pick<QuerySettings, 'seconds' | 'bytes'> {
  readonly clock: Clock;
  readonly compiler: Compiler;
  readonly answers: AnswerReader;
  /** Recent points in memory; undefined: all questions go to the store. */
  readonly recent?: Pick<RecentPoints, 'mayAnswer' | 'asked' | 'answer' | 'state'> | undefined;
  /** What was acknowledged for a scope and cannot be queried yet. */
  readonly unstored: (scope: TelemetryScope, signals: readonly WalSignal[]) => Promise<Unstored>;
  /** Connects to each shard of the store; absent: it has none. */
  readonly findShards?: FindShards;
}

/** An answer, with what was not stored when its statement began. */
interface KnownAnswer extends ReadAnswer {
  readonly unstored: Unstored;
  readonly missingAnchors: number | null;
  readonly sampledShare: number | null;
  /** Of the query as it was asked. */
  readonly warnings: Compiled['warnings'];
}

type Form = 'values' | 'json';

export function createGateway(options: GatewayOptions): Gateway {
  const { clock, answers, recent, unstored, hiddenPlaces, seconds, bytes, findShards } = options;
  const limits: QueryLimits = {
    maxSeconds: seconds,
    maxRowsToRead: 2_000_000_000,
    maxMemoryBytes: 2 * 1024 ** 3,
    maxResultRows: 200_000,
    maxResultBytes: bytes.result,
    maxRowBytes: bytes.row,
  };
  const reads = createReads({ ...options, limits });
  const lookup = reads.lane('lookup');
  const knowledge = new Knowledge({ telemetry: lookup, clock });
  hiddenPlaces.onRemoved(() => knowledge.forget());
  const compiler = createPlacesFirst(options.compiler, knowledge);
  const planner = new Planner({ compiler: options.compiler, knowledge, clock });
  const sampledShareOf = createSampledShare({ telemetry: lookup, clock });
  const cache = new AnswerCache<KnownAnswer>({ clock, maxBytes: bytes.cache, sizeOf: (kept) => kept.bytes });

  const nowNs = () => BigInt(clock.now()) * 1_000_000n;
  const askedFor = (
    scope: TelemetryScope,
    { oql, window, limit, params, hints = false }: Question,
    signal: AbortSignal,
  ): Asked => ({
    scope,
    text: oql,
    options: { window, limit, nowNs: nowNs(), ...(params && { params }) },
    hints,
    signal,
  });

  /** Plans, and asks the cache, recent points or the store. */
  async function answered(scope: TelemetryScope, question: Question, budget: Budget, form: Form): Promise<JsonAnswer> {
    const { maxAgeMs = 0, signal } = budget;
    const asked = askedFor(scope, question, signal);
    const moment = clock.now();
    const planned = await planner.plan(asked);
    const changes = await changesOf(planned.plan, question, signal);
    const plan = bindChanges(planned.plan, changes.rows);
    const begun = clock.now();
    await refuseEndless(lookup, scope, plan, { ...limits, ...budget.limits }, signal);
    const maxSeconds = secondsLeft({ ...limits, ...budget.limits }, (clock.now() - begun) / 1000);
    const within: Budget = { ...budget, limits: { ...budget.limits, maxSeconds } };

    const answerNow = async (signal: AbortSignal): Promise<KnownAnswer> => {
      // Before the statement begins: what it does not find is among this.
      const missing = await unstored(scope, signalsRead(plan));
      const fromMemory = await runFromMemory(reads, recent, scope, plan, question.limit, { ...budget, signal });
      // Recent points answer only where each series has an anchor, and are not sampled.
      if (fromMemory)
        return { ...fromMemory, missingAnchors: 0, sampledShare: 1, warnings: plan.warnings, unstored: missing };
      const { value, plan: final } = await planner.answer({ ...asked, signal }, planned, moment, async (one) => {
        const plan = bindChanges(one.plan, changes.rows);
        const read = form === 'json' ? answers.read : answers.readValues;
        const [answer, missingAnchors, sampledShare] = await Promise.all([
          runStatement(reads, scope, { ...one, plan }, question.limit, { ...within, signal }, read),
          // Alert rules have no use for these.
          budget.lane === 'alert' ? null : countAnchorless(lookup, scope, plan, signal),
          budget.lane === 'alert' ? null : sampledShareOf(scope, plan, signal),
        ]);
        return { ...answer, missingAnchors, sampledShare };
      });
      return { ...value, warnings: final.warnings, unstored: missing };
    };

    const key = async () => keyOf(scope, question, plan, form, await hiddenPlaces.of(scope.workspace));
    const { value, ageMs } =
      maxAgeMs === 0
        ? { value: await answerNow(signal), ageMs: 0 }
        : await cache.get(await key(), maxAgeMs, signal, answerNow);
    const { rows, truncated, cost, warnings } = value;
    return {
      plan: { ...plan, warnings },
      columns: plan.columns,
      kind: plan.kind,
      rows,
      truncated,
      cost,
      completeness: completenessOf(plan, value),
      warnings: changes.warnings,
      ageMs,
    };
  }

  /** A statement that assumes nothing of what is stored. */
  async function planWith(by: Compiler, scope: TelemetryScope, question: Question, signal: AbortSignal) {
    const { text, options } = askedFor(scope, question, signal);
    const asked = { workspace: scope.workspace, signal };
    const compiled = await by.compile(text, { ...options, scope: scopeToCompile(scope) }, asked);
    if (!compiled.ok) throw invalidQuery(compiled.diagnostics);
    const changes = await changesOf(compiled, question, signal);
    return { plan: bindChanges(compiled, changes.rows), warnings: changes.warnings };
  }

  /** The answer of the other shards. What is known of the store comes from all of them, so nothing is assumed; and it is not cached. */
  async function answeredWithout(
    away: readonly Shard[],
    scope: TelemetryScope,
    question: Question,
    budget: Budget,
    form: Form,
  ): Promise<JsonAnswer> {
    const { plan, warnings } = await planWith(options.compiler, scope, question, budget.signal);
    const missing = await unstored(scope, signalsRead(plan));
    const read = form === 'json' ? answers.read : answers.readValues;
    const statement = { plan: leavingOut(plan, away), areTexts: false };
    const { rows, truncated, cost } = await runStatement(reads, scope, statement, question.limit, budget, read);
    const lacking = { unstored: missing, missingAnchors: null, sampledShare: null, shardsAway: away.length };
    return {
      plan,
      columns: plan.columns,
      kind: plan.kind,
      rows,
      truncated,
      cost,
      completeness: completenessOf(plan, lacking),
      warnings: [...warnings, ...warningsOf(away)],
      ageMs: 0,
    };
  }

  /** A stream cannot be asked again when rows have been sent, so its statement assumes nothing. */
  async function streamed(scope: TelemetryScope, question: Question, budget: Budget): Promise<StreamedAnswer> {
    const { plan } = await planWith(compiler, scope, question, budget.signal);
    const size = { limit: question.limit, maxBytes: bytes.export };
    return runStream(reads, scope, plan, size, budget, async (signal) => {
      const [missing, missingAnchors, sampledShare] = await Promise.all([
        unstored(scope, signalsRead(plan)),
        countAnchorless(lookup, scope, plan, signal).catch(() => null),
        sampledShareOf(scope, plan, signal).catch(() => null),
      ]);
      return completenessOf(plan, { unstored: missing, missingAnchors, sampledShare });
    });
  }

  async function streamedWithout(
    away: readonly Shard[],
    scope: TelemetryScope,
    question: Question,
    budget: Budget,
  ): Promise<StreamedAnswer> {
    const { plan } = await planWith(options.compiler, scope, question, budget.signal);
    const size = { limit: question.limit, maxBytes: bytes.export };
    return runStream(reads, scope, leavingOut(plan, away), size, budget, async () => {
      const missing = await unstored(scope, signalsRead(plan));
      const lacking = { unstored: missing, missingAnchors: null, sampledShare: null, shardsAway: away.length };
      return completenessOf(plan, lacking);
    });
  }

  const answer = (scope: TelemetryScope, question: Question, budget: Budget, form: Form) =>
    askShards(
      budget,
      findShards,
      () => answered(scope, question, budget, form),
      (away) => answeredWithout(away, scope, question, budget, form),
    );

  return {
    compiler,
    limits,
    lane: reads.lane,
    readRows: reads.rowsAsBytes,
    readBlocks: reads.blocks,
    plan: (scope, question, signal) => planner.plan(askedFor(scope, question, signal)),
    validate: (scope, text, signal) => planner.validate({ scope, text, signal }),
    mayAnswerFromMemory: (plan) => plan.recent !== undefined && recent?.mayAnswer(plan.recent) === true,
    async ask(scope, question, budget) {
      const { rows, ...rest } = await answer(scope, question, budget, 'values');
      if (rows instanceof EncodedRows) throw new Error('the rows were asked for as values');
      return { ...rest, rows };
    },
    askJson: (scope, question, budget) => answer(scope, question, budget, 'json'),
    stream: (scope, question, budget) =>
      askShards(
        budget,
        findShards,
        () => streamed(scope, question, budget),
        (away) => streamedWithout(away, scope, question, budget),
      ),
    relate: (scope, questions, around, budget) =>
      relate(reads, { compiler, nowNs: nowNs() }, scope, questions, around, budget),
    state: () => ({
      lanes: {
        interactive: reads.lanes.state('interactive'),
        dashboard: reads.lanes.state('dashboard'),
        alert: reads.lanes.state('alert'),
        background: reads.lanes.state('background'),
        lookup: reads.lanes.state('lookup'),
      },
      begun: reads.lanes.begun(),
      cache: cache.state(),
      refuted: planner.refuted(),
      recent: recent?.state(),
    }),
  };
}
