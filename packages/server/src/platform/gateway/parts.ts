import { bindChanges, type Compiled } from '@fanion/oql';
import type { WalSignal } from '@fanion/telemetry';
import type { QueryLimits } from '../clickhouse/index.ts';
import type { Clock } from '../clock.ts';
import type { RecentPoints } from '../recent-points/index.ts';
import { scopeToCompile, type TelemetryScope } from '../scoped-telemetry.ts';
import type { AnswerReader, ReadAnswer } from './answer/answer-reader.ts';
import { AnswerCache } from './answer/cache.ts';
import type { Unstored } from './answer/completeness-rules.ts';
import { createSampledShare } from './answer/sampled-share.ts';
import { Knowledge } from './know/knowledge.ts';
import { changesOf } from './plan/changes.ts';
import type { Compiler } from './plan/compiler.ts';
import { invalidQuery } from './plan/invalid-query.ts';
import { createPlacesFirst } from './plan/places-first.ts';
import { type Asked, Planner } from './plan/planner.ts';
import type { Question } from './question.ts';
import { createReads, type ReadsOptions } from './run/reads.ts';
import type { FindShards } from './run/shards-away.ts';
import type { QuerySettings } from './settings.ts';

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
export interface KnownAnswer extends ReadAnswer {
  readonly unstored: Unstored;
  readonly missingAnchors: number | null;
  readonly sampledShare: number | null;
  /** Of the query as it was asked. */
  readonly warnings: Compiled['warnings'];
}

export type Parts = ReturnType<typeof partsOf>;

/** What the gateway asks, plans and remembers with. */
export function partsOf(options: GatewayOptions) {
  const { clock, hiddenPlaces, seconds, bytes } = options;
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
  return {
    options,
    limits,
    reads,
    lookup,
    compiler: createPlacesFirst(options.compiler, knowledge),
    planner: new Planner({ compiler: options.compiler, knowledge, clock }),
    sampledShareOf: createSampledShare({ telemetry: lookup, clock }),
    cache: new AnswerCache<KnownAnswer>({ clock, maxBytes: bytes.cache, sizeOf: (kept) => kept.bytes }),
    nowNs: () => BigInt(clock.now()) * 1_000_000n,
  };
}

export function askedFor(
  { nowNs }: Pick<Parts, 'nowNs'>,
  scope: TelemetryScope,
  { oql, window, limit, params, hints = false }: Question,
  signal: AbortSignal,
): Asked {
  return { scope, text: oql, options: { window, limit, nowNs: nowNs(), ...(params && { params }) }, hints, signal };
}

/** A statement that assumes nothing of what is stored. */
export async function planWith(
  parts: Pick<Parts, 'nowNs'>,
  by: Compiler,
  scope: TelemetryScope,
  question: Question,
  signal: AbortSignal,
) {
  const { text, options } = askedFor(parts, scope, question, signal);
  const asked = { workspace: scope.workspace, signal };
  const compiled = await by.compile(text, { ...options, scope: scopeToCompile(scope) }, asked);
  if (!compiled.ok) throw invalidQuery(compiled.diagnostics);
  const changes = await changesOf(compiled, question, signal);
  return { plan: bindChanges(compiled, changes.rows), warnings: changes.warnings };
}
