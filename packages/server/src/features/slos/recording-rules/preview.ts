import type { previewRecordingRule, RouteResponse } from '@fanion/contract';
import { automaticOffsetMs } from '../../../platform/arrivals/index.ts';
import { durationMs } from '../../../platform/durations.ts';
import { fail } from '../../../platform/fail.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { numberValue } from '../../telemetry/promql/index.ts';
import { type AskedRule, askSteps, type StepsParts } from './steps.ts';
import { alignedTo, UnwritableAnswer } from './write-rules.ts';

type Preview = RouteResponse<typeof previewRecordingRule>;

/** Points of each step that a preview lists. */
const maxListed = 100;

/**
 * What a rule would write: the step that is due by now, and the one after it so far. Throws `RECORDING_RULE_INVALID` where the rule
 * could not write the answer, and what the gateway throws.
 */
export async function previewSteps(
  parts: StepsParts,
  scope: TelemetryScope,
  rule: Pick<AskedRule, 'query' | 'query_language' | 'labels'> & {
    readonly every: string;
    readonly offset: string | null;
  },
  { nowMs, maxSeries, signal }: { nowMs: number; maxSeries: number; signal: AbortSignal },
): Promise<Pick<Preview, 'steps'> & { cost: { rowsRead: number; bytesRead: number } }> {
  const everyMs = durationMs(rule.every);
  const offsetMs = rule.offset === null ? automaticOffsetMs(0, everyMs) : durationMs(rule.offset);
  const dueMs = alignedTo(nowMs - offsetMs, everyMs);
  const isPromql = rule.query_language === 'promql';
  // An expression is evaluated at the end of a step, which is not there yet.
  const range = { fromMs: dueMs - everyMs, toMs: isPromql ? dueMs : Math.min(nowMs, dueMs + everyMs) };
  const asked = { ...rule, everyMs, maxSeries };
  const { points, cost } = await askSteps(parts, scope, asked, range, { lane: 'interactive', signal }).catch(
    (error: unknown) => {
      throw error instanceof UnwritableAnswer ? fail('RECORDING_RULE_INVALID', { reason: error.message }) : error;
    },
  );
  const starts = isPromql ? [range.fromMs] : [range.fromMs, dueMs];
  const steps = starts.map((startMs) => {
    const of = points.flatMap(({ value, ...point }) =>
      point.startMs === startMs && value !== null ? [{ ...point, value }] : [],
    );
    return {
      from: new Date(startMs).toISOString(),
      to: new Date(startMs + everyMs).toISOString(),
      complete: startMs < dueMs,
      series: of.length,
      points: of.slice(0, maxListed).map(({ labels, value }) => ({ labels, value: numberValue(value) })),
    };
  });
  return { steps, cost };
}
