import type { SampleSeries } from '@fanion/promql';
import { type Asked, tooMany } from './choosing.ts';
import type { Sampling } from './sampling-rules.ts';
import { namedLabels, translated } from './series-rules.ts';
import { listTargets, type Target } from './target-store.ts';

export const targetInfo = 'target_info';

/** The attributes of resources as labels, beside `job` and `instance`: 1 in each step in which a resource sent metrics by OTLP. */
export async function readTargets(
  { store, scope, limits, signal }: Asked,
  sampling: Sampling,
): Promise<SampleSeries[]> {
  const targets = await listTargets(store, scope, sampling, limits.series + 1, signal);
  if (targets.length > limits.series) throw tooMany('series', limits.series);
  const samples = targets.reduce((sum, { times }) => sum + times.length, 0);
  if (samples > limits.samples) throw tooMany('samples', limits.samples);
  return targets.map((target) => seriesOf(target, sampling.window.end));
}

/** The last step may end after the window. */
function seriesOf({ job, instance, pairs, times: all }: Target, end: number): SampleSeries {
  const labels = translated(pairs, '');
  for (const [name, value] of [
    ['job', job],
    ['instance', instance],
  ] as const)
    if (value !== '') labels.set(name, value);
  const times = [...new Set(all.map((time) => Math.min(time, end)))];
  return {
    labels: namedLabels(
      targetInfo,
      [...labels].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ),
    times: Float64Array.from(times),
    values: new Float64Array(times.length).fill(1),
  };
}
