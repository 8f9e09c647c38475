import { z } from 'zod';
import { JsonValue } from '../json.ts';
import { Count, Version } from '../primitives.ts';
import { route } from '../route.ts';

/*
 * Only the four evaluation routes: the server handles them without its web framework (features/flags/evaluation).
 * Put other SDK routes in a separate file.
 */

/** An OpenFeature evaluation context; the caller chooses the keys. */
export const EvaluationContext = z
  .record(z.string(), z.unknown())
  .meta({ examples: [{ targetingKey: 'user-1', country: 'DE' }] });
export const Evaluation = z.object({
  key: z.string(),
  value: JsonValue,
  variant: z.string().nullable().meta({
    description: 'null with an error, or when nothing is served: the caller uses its default',
  }),
  reason: z.enum([
    'TARGET_MATCH',
    'RULE_MATCH',
    'FALLTHROUGH',
    'OFF',
    'PREREQUISITE_FAILED',
    'TRACKED_ROLLOUT',
    'ERROR',
  ]),
  flag_version: Version,
  rule_id: z.string().optional(),
  metadata: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .optional()
    .meta({ description: "the flag's metadata" }),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});
export const EvaluationBody = z.strictObject({ context: EvaluationContext });
/** SDKs may omit the context; it is then empty. */
export const SdkEvaluationBody = EvaluationBody.partial();

export const evaluateFlag = route({
  id: 'sdk.evaluate',
  example: { body: { context: { targetingKey: 'user-1', country: 'DE' } } },
  method: 'POST',
  path: '/sdk/flags/evaluate/{key}',
  summary: 'Evaluate one flag',
  auth: 'sdk',
  bodies: 'protocol',
  enveloped: true,
  reads: true,
  status: 200,
  body: SdkEvaluationBody.optional(),
  response: Evaluation,
  errors: ['FLAG_NOT_FOUND'],
});
export const evaluateAllFlags = route({
  id: 'sdk.evaluate_all',
  example: { body: { context: { targetingKey: 'user-1', country: 'DE' } } },
  method: 'POST',
  path: '/sdk/flags/evaluate',
  summary: 'Evaluate every flag that is not archived',
  auth: 'sdk',
  bodies: 'protocol',
  enveloped: true,
  reads: true,
  status: 200,
  body: SdkEvaluationBody.optional(),
  response: z.object({ flags: z.record(z.string(), Evaluation) }),
});

/** OFREP 0.3: where a web client subscribes to changes. */
export const OfrepEventStream = z.object({
  type: z.literal('sse'),
  endpoint: z.object({ origin: z.string().optional(), requestUri: z.string() }),
  inactivityDelaySec: Count.optional(),
});
export const OfrepRequest = z.object({ context: z.record(z.string(), z.unknown()).optional() });
export const OfrepEvaluation = z.object({
  key: z.string(),
  value: JsonValue.optional().meta({ description: 'absent when the caller uses the default in its code' }),
  reason: z.string(),
  variant: z.string().optional(),
  metadata: z.looseObject({ flagVersion: Version }),
});
export const OfrepFailure = z.object({
  key: z.string().optional(),
  errorCode: z.string(),
  errorDetails: z.string().optional(),
  reason: z.literal('ERROR'),
  metadata: z.looseObject({}).optional(),
});
export const ofrepEvaluate = route({
  id: 'ofrep.evaluate',
  example: { body: { context: { targetingKey: 'user-1', country: 'DE' } } },
  method: 'POST',
  prefix: '',
  path: '/ofrep/v1/evaluate/flags/{key}',
  summary: 'OFREP: evaluate one flag',
  auth: 'sdk',
  bodies: 'protocol',
  reads: true,
  status: 200,
  body: OfrepRequest,
  response: OfrepEvaluation,
});
export const ofrepEvaluateAll = route({
  id: 'ofrep.evaluate_all',
  example: { body: { context: { targetingKey: 'user-1', country: 'DE' } } },
  method: 'POST',
  prefix: '',
  path: '/ofrep/v1/evaluate/flags',
  summary: 'OFREP: evaluate every flag',
  auth: 'sdk',
  bodies: 'protocol',
  reads: true,
  status: 200,
  otherStatus: 304,
  // OFREP clients send these after a `refetchEvaluation` event.
  query: {
    flagConfigEtag: z.string().max(300).optional(),
    flagConfigLastModified: z.string().max(300).optional(),
  },
  body: OfrepRequest,
  response: z.object({
    flags: z.array(z.union([OfrepEvaluation, OfrepFailure])),
    metadata: z.looseObject({}).optional(),
    eventStreams: z.array(OfrepEventStream).optional(),
  }),
});
