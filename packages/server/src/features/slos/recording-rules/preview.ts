import type { previewRecordingRule, RouteResponse } from '@fanion/contract';
import { automaticOffsetMs } from '../../../platform/arrivals/index.ts';
import { durationMs } from '../../../platform/durations.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { askSteps } from './metric-store.ts';
import { alignedTo, type Labels, UnwritableAnswer } from './write-rules.ts';

type Preview = RouteResponse<typeof previewRecordingRule>;

/** Points of each step that a preview lists. */
const maxListed = 100;

/**
 * What a rule would write: the step that is due by now, and the one after it so far. Throws `RECORDING_RULE_INVALID` where the rule
 * could not write the answer, and what the gateway throws.
 */
export async function previewSteps(
  gateway: Gateway,
  scope: TelemetryScope,
  rule: { readonly query: string; readonly every: string; readonly offset: string | null; readonly labels: Labels },
  { nowMs, maxSeries, signal }: { nowMs: number; maxSeries: number; signal: AbortSignal },
): Promise<Pick<Preview, 'steps'> & { cost: { rowsRead: number; bytesRead: number } }> {
  const everyMs = durationMs(rule.every);
  const offsetMs = rule.offset === null ? automaticOffsetMs(0, everyMs) : durationMs(rule.offset);
  const dueMs = alignedTo(nowMs - offsetMs, everyMs);
  const range = { fromMs: dueMs - everyMs, toMs: Math.min(nowMs, dueMs + everyMs) };
  const { query, labels } = rule;
  const asked = { query, everyMs, labels, maxSeries };
  const { points, cost } = await askSteps(gateway, scope, asked, range, { lane: 'interactive', signal }).catch(
    (error: unknown) => {
      throw error instanceof UnwritableAnswer ? fail('RECORDING_RULE_INVALID', { reason: error.message }) : error;
    },
  );
  const steps = [range.fromMs, dueMs].map((startMs) => {
    const of = points.filter((point) => point.startMs === startMs);
    return {
      from: new Date(startMs).toISOString(),
      to: new Date(startMs + everyMs).toISOString(),
      complete: startMs < dueMs,
      series: of.length,
      points: of.slice(0, maxListed).map(({ labels, value }) => ({ labels, value })),
    };
  });
  return { steps, cost };
}
