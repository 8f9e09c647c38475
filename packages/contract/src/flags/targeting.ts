import { z } from 'zod';
import { Description, FlagKey, Id, Key, Time } from '../primitives.ts';
import { Difference } from './difference.ts';

/** The parts that targeting, segments and changes of both are made of. */

/** Weights are out of 100000. */
export const Rollout = z.strictObject({
  bucket_by: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .meta({ description: 'attribute or JSON pointer; targetingKey by default' }),
  seed: z.string().min(1).max(100).optional(),
  weights: z
    .array(z.strictObject({ variant: FlagKey, weight: z.number().int().min(0).max(100_000) }))
    .min(1)
    .max(100),
});
export const Clause = z.strictObject({
  attribute: z.string().min(1).max(256).optional(),
  op: z.enum([
    'in',
    'not_in',
    'starts_with',
    'ends_with',
    'contains',
    'matches',
    'eq',
    'neq',
    'lt',
    'lte',
    'gt',
    'gte',
    'before',
    'after',
    'semver_eq',
    'semver_lt',
    'semver_gt',
    'exists',
    'in_segment',
    'cidr',
  ]),
  values: z
    .array(z.union([z.string().max(1024), z.number(), z.boolean()]))
    .max(10_000)
    .default([]),
  negate: z.boolean().default(false),
});
const codeDefault = { description: "null: nothing is served, and the default in the caller's code holds" };
const Serve = { variant: FlagKey.nullable().optional().meta(codeDefault), rollout: Rollout.optional() };
export const Fallthrough = z.strictObject(Serve);
export const Rule = z.strictObject({
  id: z.string().min(1).max(100).optional(),
  description: Description.optional(),
  clauses: z.array(Clause).max(50),
  ...Serve,
});
export const Target = z.strictObject({
  variant: FlagKey,
  values: z.array(z.string().max(1024)).max(100_000),
  attribute: z.string().min(1).max(256).optional(),
});
/** What an environment is told to serve, as it is written. */
export const TargetingFields = {
  enabled: z.boolean(),
  off_variant: FlagKey.nullable().meta(codeDefault),
  fallthrough: Fallthrough,
  targets: z.array(Target).max(200),
  rules: z.array(Rule).max(200),
};

const ServeOutput = {
  variant: z.string().nullable().optional().meta(codeDefault),
  rollout: z
    .object({
      bucket_by: z.string().optional(),
      seed: z.string().optional(),
      weights: z.array(z.object({ variant: z.string(), weight: z.number() })),
    })
    .optional(),
};
export const ClauseOutput = z.object({
  attribute: z.string().optional(),
  op: z.string(),
  values: z.array(z.unknown()),
  negate: z.boolean(),
});
/** A ramp that moves or holds the fallthrough at the moment. */
export const ActiveRamp = z.object({
  id: Id,
  status: z.enum(['running', 'paused']),
  variant: z.string(),
  weight: z.number().int(),
});
export const Targeting = z.object({
  flag: z.string(),
  environment: z.string(),
  enabled: z.boolean(),
  off_variant: z.string().nullable().meta(codeDefault),
  fallthrough: z
    .object(ServeOutput)
    .meta({ description: 'what was written; while `ramp` is set, its weights are served instead' }),
  targets: z.array(z.object({ variant: z.string(), values: z.array(z.string()), attribute: z.string().optional() })),
  rules: z.array(
    z.object({
      id: z.string(),
      description: z.string().optional(),
      clauses: z.array(ClauseOutput),
      ...ServeOutput,
    }),
  ),
  ramp: ActiveRamp.nullable(),
  version: z.number().int().meta({ description: 'counts writes of this configuration; give it back on PUT' }),
  flag_version: z.number().int().meta({ description: 'counts every change of what the flag serves here' }),
  updated_at: Time,
  updated_by: z.string().nullable(),
});

const asRead = z.unknown().optional().meta({ description: 'as it was read; not looked at' });
/** What is read beside a configuration: whoever gives back what they got, with one thing changed, does nothing wrong. */
export const TargetingFacts = {
  flag: asRead,
  environment: asRead,
  ramp: asRead,
  flag_version: asRead,
  updated_at: asRead,
  updated_by: asRead,
};

/** Fields of every write that a protected environment can hold up. */
export const Submission = {
  comment: z.string().max(2000).optional(),
  bypass_approval: z
    .boolean()
    .default(false)
    .meta({ description: 'write at once where approval is required; needs flags:bypass_approval, and is audited' }),
};

export const Promotion = z.object({
  from: z.string(),
  to: z.string(),
  dry_run: z.boolean(),
  diff: z.array(Difference),
  targeting: Targeting.meta({ description: 'of the target environment: as it is now, also after a dry run' }),
});
export const PromotionBody = z.strictObject({
  to: Key.meta({ description: 'environment, by key or id' }),
  include_enabled: z.boolean().default(false),
  dry_run: z.boolean().default(false),
  version: z.number().int().min(0).optional().meta({ description: "of the target's targeting" }),
  ...Submission,
});
