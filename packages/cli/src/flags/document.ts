import {
  Description,
  FlagKey,
  FlagKind,
  FlagMetadata,
  Key,
  Name,
  Rule,
  type Segment,
  Target,
  TargetingFields,
  Variant,
} from '@fanion/contract';
import { z } from 'zod';

/*
 * The content of the files of `fanion export` and `fanion apply`, and the output of the importers: the desired state of a
 * flag or segment. Names and shapes are those of the API, without the fields that the server sets.
 */

const Prerequisite = z.strictObject({ flag: FlagKey, variants: z.array(FlagKey).min(1) });

export const EnvironmentDocument = z.strictObject({
  ...TargetingFields,
  off_variant: FlagKey.nullable().optional().meta({ description: "defaults to the flag's; null for the code default" }),
  targets: z.array(Target).default([]),
  rules: z.array(Rule).default([]),
});
export type EnvironmentDocument = z.output<typeof EnvironmentDocument>;

export const FlagDocument = z.strictObject({
  key: FlagKey,
  name: Name.optional(),
  description: Description.default(''),
  kind: FlagKind,
  variants: z.array(Variant).min(1),
  default_variant: FlagKey.optional(),
  off_variant: FlagKey.nullable().optional(),
  tags: z.array(Key).default([]),
  temporary: z.boolean().default(true),
  metadata: FlagMetadata.optional(),
  client_visible: z.boolean().optional(),
  prerequisites: z.array(Prerequisite).default([]),
  /** By environment key. An environment that is not named does not change. */
  environments: z.record(Key, EnvironmentDocument).default({}),
});
export type FlagDocument = z.output<typeof FlagDocument>;

export const SegmentDocument = z.strictObject({
  key: Key,
  name: Name.optional(),
  description: Description.default(''),
  included: z.array(z.string().min(1)).default([]),
  excluded: z.array(z.string().min(1)).default([]),
  rules: z.array(z.strictObject({ clauses: Rule.shape.clauses, shares: Rule.shape.shares })).default([]),
});
export type SegmentDocument = z.output<typeof SegmentDocument>;

/** A set of flags and segments that belong together. */
export interface FlagSet {
  readonly flags: readonly FlagDocument[];
  readonly segments: readonly SegmentDocument[];
}

export type RuleDocument = EnvironmentDocument['rules'][number];
export type ClauseDocument = RuleDocument['clauses'][number];
export type ServeDocument = EnvironmentDocument['fallthrough'];
export type RolloutDocument = NonNullable<ServeDocument['rollout']>;
export type VariantDocument = FlagDocument['variants'][number];

type RemoteSegment = z.output<typeof Segment>;

/** A segment of the API as a document. */
export function segmentDocumentOf({
  key,
  name,
  description,
  included,
  excluded,
  rules,
}: RemoteSegment): SegmentDocument {
  return SegmentDocument.parse({ key, name, description, included, excluded, rules });
}

/**
 * The variants that a flag serves by default and when off. As on the server, the defaults are the variants of true and
 * false for a boolean flag, and the first variant for any other.
 */
export function namedVariants(flag: FlagDocument): {
  readonly default_variant: string;
  readonly off_variant: string | null;
} {
  const first = flag.variants[0]?.key ?? '';
  const of = (value: boolean) =>
    flag.variants.find((variant) => flag.kind === 'boolean' && variant.value === value)?.key ?? first;
  return {
    default_variant: flag.default_variant ?? of(true),
    off_variant: flag.off_variant === undefined ? of(false) : flag.off_variant,
  };
}

/** The targeting of a flag in an environment that nobody has configured: off. */
export function initialEnvironment(flag: FlagDocument): EnvironmentDocument {
  const { default_variant, off_variant } = namedVariants(flag);
  return { enabled: false, off_variant, fallthrough: { variant: default_variant }, targets: [], rules: [] };
}
