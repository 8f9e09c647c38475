import { offsetBy } from '../metrics/offset.ts';
import type { StageDefinition } from './definition.ts';

export const offset: StageDefinition<'offset'> = {
  kind: 'offset',
  syntax: 'offset DURATION',
  doc: 'Reads the points of a metric as they were that long ago, shifted to the current times. Use it before a range function, like `offset` in PromQL. `compare` shows both.',
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
          '`offset` works on the points of a metric: use it after `metric NAME` and its `where`. After `stats`, `compare 1d` compares past and current values.',
        );
      }
      return { ...input, unknown: true };
    }
    if (duration.kind === 'duration' && duration.nanoseconds > 0n) return offsetBy(input, points, duration.nanoseconds);
    if (duration.kind !== 'invalid')
      ctx.error('INVALID_VALUE', duration, 'An offset must be a duration, such as `1d`.');
    return { ...input, unknown: true };
  },
};
