import { z } from 'zod';

const Places = z.object({ control: z.string().optional(), telemetry: z.string().optional() });

/** An entry of the audit log about a move. */
export const MoveEntry = z.object({
  /** Of the move: a move that is run again after an error or a kill keeps it. */
  id: z.string(),
  action: z.enum(['move.start', 'move.complete', 'move.fail']),
  at: z.iso.datetime(),
  /** The operating system's user who ran the command. */
  by: z.string(),
  /** Each moved store. */
  from: Places,
  to: Places,
  /** The result of a move that has ended. */
  outcome: z.union([
    z.object({}).strict(),
    z.object({ telemetry_rows: z.number(), control_rows: z.number() }).strict(),
    z.object({ reason: z.string() }).strict(),
  ]),
});
export type MoveEntry = z.infer<typeof MoveEntry>;

/** Places of stores, as people read them in the audit log. */
export type MovePlaces = z.infer<typeof Places>;
