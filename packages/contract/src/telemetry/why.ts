import { z } from 'zod';
import { Count, Id, Time } from '../primitives.ts';

const Share = z.number().min(0).max(1);

export const CauseField = z.object({ field: z.string(), value: z.string() });

export const Cause = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('attribute'),
    values: z.array(CauseField).meta({ description: 'two values are a suspect only together' }),
  }),
  z.object({ kind: z.literal('flag'), flag: z.string(), variant: z.string() }),
  z.object({ kind: z.literal('deploy'), service: z.string(), version: z.string() }),
  z.object({ kind: z.literal('log_pattern'), name: z.string() }),
  z.object({ kind: z.literal('error'), name: z.string() }),
]);

export const RunningOnFlag = z.object({
  kind: z.enum(['experiment', 'guarded_release', 'ramp']),
  id: Id,
  name: z.string(),
  environment: z.string(),
});

export const CauseAction = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('turn_off'),
    flag: z.string(),
    project: z.string().nullable().meta({ description: 'key of its project; null: several projects have the flag' }),
    environment: z.string().nullable().meta({ description: 'null: the traces are of several environments' }),
    running: z.array(RunningOnFlag).meta({ description: 'what turning the flag off would disturb' }),
  }),
  z.object({ kind: z.literal('open_deploy'), service: z.string(), version: z.string() }),
  z.object({ kind: z.literal('show_rows'), where: z.string().meta({ description: 'a condition in OQL on spans' }) }),
  z.object({ kind: z.literal('show_logs'), where: z.string().meta({ description: 'a condition in OQL on logs' }) }),
  z.object({ kind: z.literal('open_error'), error: z.string().meta({ description: 'id of the error group' }) }),
]);

export const CauseChange = z.object({ time: Time, detail: z.string() });

export const Suspect = z.object({
  cause: Cause,
  sentence: z.string().meta({
    examples: ['image-cdn → 100 % at 10:56; errors +3 points, only in traces with `true`; explains 87 % of them'],
  }),
  effect: z
    .object({ value: z.number(), low: z.number(), high: z.number() })
    .meta({ description: 'difference of the shares of selected traces, −1 to 1, with an interval of 95 %' }),
  rates: z.object({ exposed: Share, others: Share }).meta({
    description: 'shares of selected traces among those exposed to it, and those that they are compared with',
  }),
  explains: Share.meta({
    description: 'share of the selected traces since the onset that would be missing at the rate of the others',
  }),
  change: CauseChange.nullable().meta({ description: 'what changed just before the onset' }),
  standing: z.boolean().meta({ description: 'its traces were selected as often before the onset' }),
  also: z.array(Cause).meta({ description: 'other names of the same traces' }),
  action: CauseAction,
});

export const CauseOnset = z.object({ time: Time, from: Time, to: Time, before: Share, after: Share }).meta({
  description: 'when the share of selected traces rose, with an interval of 95 %, and the share before and after',
});

export const FoldedField = z.object({
  name: z.string(),
  because: z.enum(['defines', 'outcome', 'consequence', 'nearly_unique']).meta({
    description:
      'the condition names it; it describes how the operation ended; only selected traces have it; too few traces share a value',
  }),
});

/** What caused a selection: the one ranked list of causes. */
export const Why = z.object({
  verdict: z.enum(['suspects', 'no_cause', 'unknown']),
  reason: z.string().nullable().meta({ description: 'why the verdict is `unknown`' }),
  onset: CauseOnset.nullable(),
  suspects: z.array(Suspect).meta({ description: 'the likeliest first, at most 5' }),
  folded: z.array(FoldedField).meta({ description: 'attributes that cannot be a cause, and why' }),
  compared: z
    .object({ selected: Count, others: Count })
    .meta({ description: 'traces that were compared; log records without a trace count alone' }),
  warnings: z.array(z.string()).meta({ description: 'what was left out of the comparison' }),
});
