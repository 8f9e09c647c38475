import { type Compiled, decodeRow, type ResultValue } from '@fanion/oql';
import { Failure, fail } from '../../fail.ts';
import type { HiddenPlaces, TelemetryScope } from '../../scoped-telemetry.ts';
import type { Completeness } from '../answer/completeness-rules.ts';
import { boundParameters } from '../plan/bound-parameters.ts';
import type { Budget, StreamedAnswer } from '../question.ts';
import { explainFailure } from './failures.ts';
import type { Reads } from './reads.ts';

/** Longest stream, limited by its reader; the sender of the response limits how long a reader may pause. */
const streamSeconds = 600;

/**
 * Runs a statement as a stream of rows.
 * @param maxBytes of the answer
 * @param tell what the answer may lack; begins beside the statement
 */
export async function runStream(
  { clickhouse, limits, lanes, hiddenPlaces, fenced }: Reads,
  scope: TelemetryScope,
  plan: Compiled,
  { limit, maxBytes }: { readonly limit: number; readonly maxBytes: number },
  budget: Budget,
  tell: (signal: AbortSignal) => Promise<Completeness>,
): Promise<StreamedAnswer> {
  const applied = {
    ...limits,
    maxSeconds: streamSeconds,
    maxResultRows: limit + 1,
    maxResultBytes: maxBytes,
    ...budget.limits,
  };
  const leave = await lanes.enter(budget.lane, scope.workspace, budget.signal);
  const removal = endedByRemoval(hiddenPlaces, scope);
  const close = () => {
    removal.end();
    leave();
  };
  const failed = (error: unknown) => {
    close();
    budget.signal.throwIfAborted();
    throw explainFailure(removal.failure() ?? error, applied);
  };
  const settings = await fenced(scope).catch(failed);
  const signal = AbortSignal.any([budget.signal, removal.signal]);
  const completeness = tell(signal);
  // It is awaited after the last row.
  completeness.catch(() => {});
  const rows = clickhouse.stream(plan.sql, {
    params: boundParameters(plan.params),
    settings: { ...plan.settings, ...settings },
    limits: applied,
    signal,
  });
  const first = await rows.next().catch(failed);
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
      told.completeness = await completeness;
    } catch (error) {
      throw explainFailure(removal.failure() ?? error, applied);
    } finally {
      close();
    }
  }
  return { columns: plan.columns, batches: batches(), told, close };
}

/** Ends a stream when telemetry of its workspace is removed: its rows would be sent for minutes. */
function endedByRemoval(hiddenPlaces: HiddenPlaces, scope: TelemetryScope) {
  const ended = new AbortController();
  const forget = hiddenPlaces.onRemoved((workspace) => {
    if (workspace === undefined || workspace === scope.workspace)
      ended.abort(fail('NOT_FOUND', { resource: 'telemetry of a project that was removed meanwhile' }));
  });
  return {
    signal: ended.signal,
    failure: () => (ended.signal.reason instanceof Failure ? ended.signal.reason : undefined),
    end() {
      forget();
      ended.abort();
    },
  };
}
