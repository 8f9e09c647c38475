import { z } from 'zod';
import { Count, Time } from '../primitives.ts';

/** What an answer may lack; docs/oql.md describes each field. */
export const Completeness = z.object({
  complete: z.boolean().meta({ description: 'whether none of the following applies' }),
  partial_buckets: z
    .array(z.string())
    .meta({ description: 'starts of time buckets that are cut by the window or not over' }),
  unstored: z
    .object({
      items: Count.nullable().meta({ description: 'null: unknown' }),
      since: Time.meta({ description: 'when the oldest of it was received' }),
    })
    .nullable()
    .meta({ description: 'acknowledged telemetry that was not stored when the query began' }),
  missing_anchors: Count.nullable().meta({
    description:
      'series whose growth before their first point in the window is not counted, since they have no point in the look-back. null: unknown',
  }),
  sampled_share: z.number().min(0).max(1).nullable().meta({
    description:
      'of the spans that the answer counts, the share that is stored; the others are estimated from these, since sampling did not keep them. 1: nothing is estimated. null: unknown',
  }),
  shards_away: Count.meta({
    description: 'shards of the telemetry store that were left out because they did not answer',
  }),
});
