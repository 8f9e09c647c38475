import type { Shard } from '../clickhouse/index.ts';
import type { TelemetryScope } from '../scoped-telemetry.ts';
import { countAnchorless } from './answer/anchorless.ts';
import { completenessOf, signalsRead } from './answer/completeness-rules.ts';
import { type Parts, planWith } from './parts.ts';
import type { Budget, Question, StreamedAnswer } from './question.ts';
import { leavingOut } from './run/shards-away.ts';
import { runStream } from './run/stream.ts';

/** A stream cannot be asked again when rows have been sent, so its statement assumes nothing. */
export async function streamed(
  parts: Parts,
  scope: TelemetryScope,
  question: Question,
  budget: Budget,
): Promise<StreamedAnswer> {
  const { reads, lookup, sampledShareOf, options, compiler } = parts;
  const { plan } = await planWith(parts, compiler, scope, question, budget.signal);
  const size = { limit: question.limit, maxBytes: options.bytes.export };
  return runStream(reads, scope, plan, size, budget, async (signal) => {
    const [missing, missingAnchors, sampledShare] = await Promise.all([
      options.unstored(scope, signalsRead(plan)),
      countAnchorless(lookup, scope, plan, signal).catch(() => null),
      sampledShareOf(scope, plan, signal).catch(() => null),
    ]);
    return completenessOf(plan, { unstored: missing, missingAnchors, sampledShare });
  });
}

export async function streamedWithout(
  parts: Parts,
  away: readonly Shard[],
  scope: TelemetryScope,
  question: Question,
  budget: Budget,
): Promise<StreamedAnswer> {
  const { reads, options } = parts;
  const { plan } = await planWith(parts, options.compiler, scope, question, budget.signal);
  const size = { limit: question.limit, maxBytes: options.bytes.export };
  return runStream(reads, scope, leavingOut(plan, away), size, budget, async () => {
    const missing = await options.unstored(scope, signalsRead(plan));
    const lacking = { unstored: missing, missingAnchors: null, sampledShare: null, shardsAway: away.length };
    return completenessOf(plan, lacking);
  });
}
