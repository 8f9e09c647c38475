import { type FlagKind, type JsonValue, type ServeDraft, type TargetingDraft, TOTAL_WEIGHT } from '@fanion/flag-engine';
import { laidOut } from './serve.ts';

export interface VariantFact {
  readonly key: string;
  readonly value: JsonValue;
  readonly name?: string | undefined;
}

/** The targeting of an environment as stored: the API's form without its versions. */
export interface TargetingConfig {
  readonly enabled: boolean;
  readonly off_variant: string | null;
  readonly fallthrough: ServeDraft;
  readonly targets: TargetingDraft['targets'];
  readonly rules: readonly StoredRule[];
}
/** A rule keeps its id and salt for its whole life: they decide the bucket of each unit. */
export type StoredRule = TargetingDraft['rules'][number] & { readonly id: string; readonly salt: string };

/** Variants of a flag that names none, which only a boolean may. */
export function defaultVariants(kind: FlagKind): VariantFact[] | undefined {
  if (kind !== 'boolean') return undefined;
  return [
    { key: 'true', value: true },
    { key: 'false', value: false },
  ];
}

/**
 * The variants that a flag serves by default and when it is off. For a boolean these are true and false, for any other
 * kind its first variant, so that a new flag changes nothing until somebody turns it on.
 */
export function namedVariants(
  kind: FlagKind,
  variants: readonly VariantFact[],
  given: { default_variant?: string | undefined; off_variant?: string | null | undefined },
): { default_variant: string; off_variant: string | null } {
  const first = variants[0]?.key ?? '';
  const ofValue = (value: boolean) =>
    variants.find((variant) => kind === 'boolean' && variant.value === value)?.key ?? first;
  return {
    default_variant: given.default_variant ?? ofValue(true),
    // Null is a value: the flag has no off variant.
    off_variant: given.off_variant === undefined ? ofValue(false) : given.off_variant,
  };
}

/** The targeting of an environment that is not configured yet: off. */
export function initialTargeting(flag: {
  readonly default_variant: string;
  readonly off_variant: string | null;
}): TargetingConfig {
  return {
    enabled: false,
    off_variant: flag.off_variant,
    fallthrough: { variant: flag.default_variant },
    targets: [],
    rules: [],
  };
}

/**
 * Gives new rules an id and a salt. A rule with a known id keeps its salt, and so does one restored from the history.
 * Its units keep their variants as far as its weights allow.
 */
export function withRuleIdentities(
  rules: readonly (TargetingDraft['rules'][number] & { readonly salt?: string })[],
  before: readonly StoredRule[],
  newIdentity: () => string,
): StoredRule[] {
  const known = new Map(before.map((rule) => [rule.id, rule]));
  return rules.map((rule) => {
    const id = rule.id ?? newIdentity();
    const was = known.get(id);
    return { ...laidOut(was ?? {}, rule), id, salt: was?.salt ?? rule.salt ?? newIdentity() };
  });
}

/** The summary of an environment in a list. */
export function stateOf(config: TargetingConfig): {
  enabled: boolean;
  serves: 'off' | 'one' | 'split';
  percentage: number | null;
} {
  if (!config.enabled) return { enabled: false, serves: 'off', percentage: null };
  const weights = config.fallthrough.rollout?.weights.filter(({ weight }) => weight > 0) ?? [];
  const isSplit = weights.length > 1;
  if (!isSplit && config.rules.length === 0 && config.targets.length === 0)
    return { enabled: true, serves: 'one', percentage: null };
  const shares = new Map<string, number>();
  for (const { variant, weight } of weights) shares.set(variant, (shares.get(variant) ?? 0) + weight);
  const notOff = [...shares].filter(([variant]) => variant !== config.off_variant).map(([, weight]) => weight);
  return { enabled: true, serves: 'split', percentage: isSplit ? (Math.max(0, ...notOff) / TOTAL_WEIGHT) * 100 : null };
}

/** Every variant that a configuration can serve. */
export function variantsServed(config: TargetingConfig): Set<string> {
  const serves = [config.fallthrough, ...config.rules];
  return new Set([
    ...named(config.off_variant),
    ...config.targets.map(({ variant }) => variant),
    ...serves.flatMap(({ variant }) => named(variant)),
    ...serves.flatMap(({ rollout }) => rollout?.weights.map(({ variant }) => variant) ?? []),
  ]);
}

function named(variant: string | null | undefined): readonly string[] {
  return variant == null ? [] : [variant];
}
