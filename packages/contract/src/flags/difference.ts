import { z } from 'zod';

/**
 * One difference between two states. `path` is dotted; items of a list are named by what identifies them (a rule's id, a
 * target's variant), not by their place. Of long lists of plain values only what came and went is told, at most 100 of each.
 */
export const Difference = z.object({
  path: z.string(),
  kind: z.enum(['added', 'removed', 'changed', 'moved', 'members']),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  removed_count: z.number().int().optional().meta({ description: 'of members' }),
  added_count: z.number().int().optional().meta({ description: 'of members' }),
});
export type Difference = z.output<typeof Difference>;
