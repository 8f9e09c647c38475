import { PromqlError } from '@fanion/promql';
import { expect, it } from 'vitest';
import { fail } from '../../../platform/fail.ts';
import type { PromqlEvaluator } from '../../telemetry/promql/index.ts';
import { countExpressions } from './count-promql.ts';

const minuteMs = 60_000;
const indicator = {
  kind: 'ratio',
  query_language: 'promql',
  good: 'sum(increase(good_total[1m]))',
  total: 'sum(increase(all_total[1m]))',
} as const;
const whole = {
  ...{ complete: true, partial_buckets: [], unstored: null, missing_anchors: 0, sampled_share: null, shards_away: 0 },
};
const how = { lane: 'background', signal: new AbortController().signal } as const;

/** Each minute has two events, and an evaluation fits up to so many steps. */
function evaluatorOf(mostSteps: number): Pick<PromqlEvaluator, 'evaluate'> {
  return {
    async evaluate(_scope, { start, end, step }) {
      const count = (end - start) / step + 1;
      if (count > mostSteps)
        throw fail('PROMQL_FAILED', { reason: 'too many' }, { cause: new PromqlError('limit', 'too many samples') });
      const times = Float64Array.from({ length: count }, (_, i) => start + i * step);
      const series = [{ labels: new Map(), times, values: new Float64Array(count).fill(2) }];
      return { result: { type: 'matrix', series }, warnings: [], infos: [], completeness: whole };
    },
  };
}
const counted = (mostSteps: number, minutes: number) =>
  countExpressions(
    evaluatorOf(mostSteps),
    { workspace: 1, project: 1, environment: undefined },
    indicator,
    { fromMs: 0, toMs: minutes * minuteMs },
    how,
  );

it.each([240, 239, 100, 31, 15])(
  'each minute is counted once, in order, where %i steps fit into memory',
  async (most) => {
    expect(await counted(most, 1_001)).toEqual(
      Array.from({ length: 1_001 }, (_, minute) => ({ at: minute * 60, good: 2, total: 2 })),
    );
  },
);

it('an evaluation of a few steps that does not fit is an error', async () => {
  await expect(counted(7, 1_001)).rejects.toMatchObject({
    code: 'SVC-5010',
    message: expect.stringContaining('too many'),
  });
});
