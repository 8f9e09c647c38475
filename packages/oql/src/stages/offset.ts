import { offsetBy } from '../metrics/offset.ts';
import type { StageDefinition } from './definition.ts';

export const offset: StageDefinition<'offset'> = {
  kind: 'offset',
  syntax: 'offset DURATION',
  doc: 'Reads the points of a metric as they were that long ago, at the times of now; it comes before a range function, as `offset` in PromQL. `compare` puts both beside each other.',
  examples: [
    'metric http.server.request.count | offset 1d | rate 5m | sum by bucket(5m)',
    'metric queue.size | offset 1w | max by queue',
  ],
  check(stage, input, ctx) {
    const { duration } = stage;
    const points = input.rows?.points;
    if (!points || input.columns.length > 0) {
      if (!input.unknown) {
        ctx.error(
          'NOT_ON_SOURCE',
          stage,
          '`offset` is about the points of a metric: it comes after `metric NAME` and its `where`. After `stats`, `compare 1d` puts what was beside what is.',
        );
      }
      return { ...input, unknown: true };
    }
    if (duration.kind === 'duration' && duration.nanoseconds > 0n) return offsetBy(input, points, duration.nanoseconds);
    if (duration.kind !== 'invalid') ctx.error('INVALID_VALUE', duration, 'An offset is a duration, such as `1d`.');
    return { ...input, unknown: true };
  },
};
