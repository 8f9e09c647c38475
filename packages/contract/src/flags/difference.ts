import { z } from 'zod';
import { Count } from '../primitives.ts';

/**
 * One difference between two states. `path` is dotted; list items are named by what identifies them (a rule's id, a
 * target's variant), not by index. For long lists of plain values it lists only added and removed values, at most 100 of each.
 */
export const Difference = z.object({
  path: z.string(),
  kind: z.enum(['added', 'removed', 'changed', 'moved', 'members']),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  removed_count: Count.optional().meta({ description: 'for kind `members`' }),
  added_count: Count.optional().meta({ description: 'for kind `members`' }),
});
export type Difference = z.output<typeof Difference>;
