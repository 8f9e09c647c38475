import { z } from 'zod';
import { Count, QueryBoolean } from '../primitives.ts';
import { route } from '../route.ts';
import { Evaluation, EvaluationBody } from './evaluation.ts';
import { HashName } from './targeting.ts';

const StepResult = z.enum(['matched', 'not_matched', 'not_reached']);
export const ShareExplanation = z.object({
  bucket_by: z.string(),
  hash: HashName,
  unit: z.string().nullable(),
  bucket: z.number().nullable(),
  ranges: z.array(z.tuple([z.number(), z.number()])),
  matched: z.boolean(),
});
export const RolloutExplanation = z.object({
  bucket_by: z.string(),
  hash: HashName,
  unit: z.string().nullable(),
  bucket: z.number().nullable(),
  tracked: z.boolean(),
  weights: z.array(
    z.object({ variant: z.string(), weight: z.number(), from: z.number(), to: z.number(), chosen: z.boolean() }),
  ),
});
/** How an evaluation reached its result, in the order of evaluation. */
export const Explanation = z.object({
  decided_by: z.enum(['off', 'prerequisite', 'target', 'rule', 'fallthrough', 'error']),
  prerequisites: z.array(
    z.object({
      flag: z.string(),
      variants: z.array(z.string()),
      result: StepResult,
      served: z.object({ variant: z.string().nullable(), reason: z.string() }).nullable().optional(),
      why: z.string(),
    }),
  ),
  targets: z.array(z.object({ variant: z.string(), attribute: z.string(), size: Count, result: StepResult })),
  rules: z.array(
    z.object({
      id: z.string(),
      description: z.string().optional(),
      result: StepResult,
      clauses: z.array(
        z.object({
          attribute: z.string().optional(),
          op: z.string(),
          negate: z.boolean(),
          size: Count,
          actual: z.string().optional(),
          matched: z.boolean(),
          why: z.string(),
          segments: z.array(z.looseObject({ key: z.string(), matched: z.boolean(), because: z.string() })).optional(),
        }),
      ),
      shares: z.array(ShareExplanation).optional(),
      rollout: RolloutExplanation.optional(),
    }),
  ),
  fallthrough: z.object({ result: StepResult, rollout: RolloutExplanation.optional() }),
});
export const ExplainedEvaluation = Evaluation.extend({ explanation: Explanation.optional() });
export const testFlag = route({
  id: 'flags.evaluate',
  example: { body: { context: { targetingKey: 'user-1', country: 'DE' } } },
  method: 'POST',
  path: '/workspaces/{ws}/projects/{p}/environments/{e}/flags/{key}/evaluate',
  summary: 'Evaluate a flag for a context, with reasons if ?explain=true; not counted as an exposure',
  auth: 'user',
  permission: 'flags:read',
  reads: true,
  status: 200,
  query: { explain: QueryBoolean.default(false) },
  body: EvaluationBody,
  response: ExplainedEvaluation,
  errors: ['FLAG_NOT_FOUND'],
});
