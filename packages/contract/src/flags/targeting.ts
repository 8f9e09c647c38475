import { z } from 'zod';
import { Description, FlagKey, Id, Key, Time, Version, Weight } from '../primitives.ts';
import { VersionIfKnown } from '../versions.ts';
import { Difference } from './difference.ts';

/** Schemas shared by targeting, segments and their changes. */

export const HashName = z.enum([
  'fanion',
  'unleash',
  'unleash_variants',
  'growthbook_v1',
  'growthbook_v2',
  'flagd',
  'flagd_v1',
]);
const ContextKind = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, 'a name of letters, digits, dots, dashes and underscores')
  .optional()
  .meta({
    description: 'the part of the context to read (`user`, `organization`, …); the whole context by default',
  });
/** How units are identified and assigned a position on the line. */
const Bucketing = {
  bucket_by: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .meta({ description: 'attribute or JSON pointer; targetingKey by default' }),
  context_kind: ContextKind,
  fallback_bucket_by: z
    .array(z.string().min(1).max(256))
    .max(4)
    .optional()
    .meta({ description: 'attributes to try, in this order, if `bucket_by` has no value' }),
  hash: HashName.optional().meta({
    description: 'the product whose assignments are kept; `fanion` by default, which uses the formula of LaunchDarkly',
  }),
  seed: z.string().max(1024).optional().meta({
    description:
      "hashed with the unit in place of the flag's key and salt; flags with the same seed split units in the same way. Only the hashes of other products accept an empty seed",
  }),
  buckets: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .meta({ description: 'number of positions on the line; only for `unleash…` and `flagd…`' }),
};
const untrackedMeaning = {
  description: 'in a tracked rollout: a part outside of the measurement, served like a plain percentage',
};
const trackedMeaning = {
  description:
    'units of the rollout are measured: its reason is TRACKED_ROLLOUT (`SPLIT` over OFREP), and the first exposure of each unit is kept',
};
/** A variant may have a tracked and an untracked part. */
export const VariantWeight = z.strictObject({
  variant: FlagKey,
  weight: z.number().int().min(0).max(100_000),
  untracked: z.boolean().optional().meta(untrackedMeaning),
});
const layoutMeaning =
  'positions of the variants on the line, if not in the order of `weights`: the server chooses them so that the fewest units change their variant';
/** Weights are out of 100000. */
export const Rollout = z.strictObject({
  ...Bucketing,
  weights: z.array(VariantWeight).min(1).max(200),
  tracked: z.boolean().optional().meta(trackedMeaning),
  layout: z
    .array(VariantWeight)
    .max(1_000)
    .optional()
    .meta({ description: `${layoutMeaning}. A write ignores a layout that does not fit the weights` }),
  missing: z.enum(['first', 'skip']).optional().meta({
    description:
      'what a context without a unit gets: `first`, the first variant with a weight (default); `skip`, the rule does not apply (a fallthrough then serves the off variant)',
  }),
});
export const Share = z.strictObject({
  ...Bucketing,
  seed: z.string().max(1024),
  ranges: z
    .array(z.tuple([z.number().int().min(0).max(100_000), z.number().int().min(0).max(100_000)]))
    .min(1)
    .max(100)
    .meta({ description: 'from (inclusive) and to (exclusive), in 100000ths of the line' }),
  missing: z
    .enum(['in', 'out'])
    .optional()
    .meta({ description: 'whether a context without a unit matches; `out` by default' }),
});
export const Shares = z
  .array(Share)
  .max(10)
  .optional()
  .meta({ description: 'percentages of all units; the unit must match all of them' });
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
    'semver_lte',
    'semver_gt',
    'semver_gte',
    'semver_caret',
    'semver_tilde',
    'semver_same_major',
    'semver_same_minor',
    'exists',
    'in_segment',
    'cidr',
    'in_cidr',
  ]),
  values: z
    .array(z.union([z.string().max(1024), z.number(), z.boolean()]))
    .max(10_000)
    .default([]),
  negate: z.boolean().default(false),
  context_kind: ContextKind,
  ignore_case: z.boolean().optional().meta({ description: 'compare text case-insensitively' }),
  as: z.enum(['number', 'text', 'version', 'size']).optional().meta({
    description:
      'converts the attribute: `number`, text to a decimal number; `text`, a number or boolean to text; `version`, a version with a leading `v`; `size`, an array to its number of elements',
  }),
});
export type Clause = z.output<typeof Clause>;
const codeDefault = { description: 'null: nothing is served, and the caller uses the default in its code' };
const Serve = { variant: FlagKey.nullable().optional().meta(codeDefault), rollout: Rollout.optional() };
export const Fallthrough = z.strictObject(Serve);
export const Rule = z.strictObject({
  id: z.string().min(1).max(100).optional(),
  description: Description.optional(),
  clauses: z.array(Clause).max(50),
  shares: Shares,
  ...Serve,
});
/** With the id that the server gives to a rule without one. */
export const TargetingRule = Rule.required({ id: true });
export const Target = z.strictObject({
  variant: FlagKey,
  values: z.array(z.string().max(1024)).max(100_000),
  attribute: z.string().min(1).max(256).optional(),
  context_kind: ContextKind,
});
/** The targeting of an environment, as written. */
export const TargetingFields = {
  enabled: z.boolean(),
  off_variant: FlagKey.nullable().meta(codeDefault),
  fallthrough: Fallthrough,
  targets: z.array(Target).max(200),
  rules: z.array(Rule).max(200),
};

/** A targeting that is looked at and not saved. */
export const ProposedTargeting = z.strictObject(TargetingFields);

const Reasons = z.array(z.string().meta({ examples: ['uses the operator matches'] }));
export const Compatibility = z
  .object({ launchdarkly: Reasons, unleash: Reasons, growthbook: Reasons, flagd: Reasons })
  .meta({
    description:
      'by product: why its SDKs that evaluate themselves do not get the flag, as endings of "the flag …"; empty: they get it',
  });

export type Compatibility = z.output<typeof Compatibility>;

/** A running or paused ramp. */
export const ActiveRamp = z.object({
  id: Id,
  status: z.enum(['running', 'paused']),
  variant: z.string(),
  weight: Weight,
});
export const Targeting = z.object({
  flag: z.string(),
  environment: z.string(),
  enabled: z.boolean(),
  off_variant: z.string().nullable().meta(codeDefault),
  fallthrough: Fallthrough.meta({ description: 'as written; while `ramp` is set, its weights are served instead' }),
  targets: z.array(Target),
  rules: z.array(TargetingRule),
  ramp: ActiveRamp.nullable(),
  holder: z
    .object({ kind: z.enum(['guarded_release', 'experiment']), id: Id })
    .nullable()
    .meta({ description: 'what serves the fallthrough in place of this configuration' }),
  version: Version.meta({ description: 'counts writes of this configuration; send it back on PUT' }),
  flag_version: Version.meta({ description: 'counts every change of what the flag serves in this environment' }),
  updated_at: Time,
  updated_by: z.string().nullable(),
  compatibility: Compatibility.optional(),
});

const asRead = z
  .unknown()
  .optional()
  .meta({ description: 'ignored; accepted so that a GET response can be sent back' });
/** Read-only fields of a configuration, accepted and ignored so that a client can send back an edited GET response. */
export const TargetingFacts = {
  flag: asRead,
  environment: asRead,
  ramp: asRead,
  holder: asRead,
  flag_version: asRead,
  updated_at: asRead,
  updated_by: asRead,
  compatibility: asRead,
};

export const CommentBody = z.strictObject({ comment: z.string().max(2000).optional() });
/** Fields of every write that may need approval in a protected environment. */
export const Submission = {
  comment: z.string().max(2000).optional(),
  bypass_approval: z.boolean().default(false).meta({
    description: 'write at once although approval is required; requires flags:bypass_approval, and is audited',
  }),
};

export const SubmissionBody = z.strictObject(Submission);

export const Promotion = z.object({
  from: z.string(),
  to: z.string(),
  dry_run: z.boolean(),
  diff: z.array(Difference),
  targeting: Targeting.meta({ description: 'of the target environment: its current state, also after a dry run' }),
});
export const PromotionBody = z.strictObject({
  to: Key.meta({ description: 'environment, by key or id' }),
  include_enabled: z.boolean().default(false),
  dry_run: z.boolean().default(false),
  version: VersionIfKnown.meta({ description: "version of the target's targeting; another one is refused" }),
  ...Submission,
});
