import type { TargetingConfig } from './rules.ts';

const DAY_MS = 86_400_000;
/** After this time with a single variant, a temporary flag no longer decides anything. */
const ONE_VARIANT_DAYS = 30;
/** After this time without an evaluation, a flag counts as unused. */
export const UNUSED_DAYS = 14;
/** The first evaluation of a rarely used flag may be a little after the start of the 30 days. */
const SLACK_DAYS = 1;

export interface Staleness {
  readonly reason: 'one_variant' | 'not_evaluated';
  /** Since when, in Unix milliseconds. */
  readonly since: number;
}

/** The use of a flag in an environment over the last 31 days; `lastAt` may be older. */
export interface Use {
  readonly firstAt: number;
  readonly lastAt: number;
  readonly variants: readonly string[];
}

export interface EnvironmentFacts {
  /** The configured targeting, including a running ramp. */
  readonly config: TargetingConfig;
  /** When it last changed. */
  readonly changedAt: number;
}

/**
 * Whether a temporary flag can be removed, judged by the variants it served, or else by its configuration. A flag that
 * changed recently is not stale: somebody works with it.
 * @param use in all environments; undefined: unknown, and then only the configuration counts
 */
export function stalenessOf(
  flag: { readonly temporary: boolean; readonly archived: boolean; readonly createdAt: number },
  environments: readonly EnvironmentFacts[],
  use: readonly Use[] | undefined,
  now: number,
): Staleness | null {
  if (!flag.temporary || flag.archived || environments.length === 0) return null;
  const changedAt = Math.max(flag.createdAt, ...environments.map((environment) => environment.changedAt));
  const isOld = (at: number, days: number) => now - at >= days * DAY_MS;
  if (use !== undefined) {
    const lastAt = Math.max(changedAt, ...use.map((one) => one.lastAt));
    if (isOld(lastAt, UNUSED_DAYS)) return { reason: 'not_evaluated', since: lastAt };
  }
  if (!isOld(changedAt, ONE_VARIANT_DAYS)) return null;
  const seen = new Set(use?.flatMap(({ variants }) => variants));
  if (seen.size > 1) return null;
  const firstAt = Math.min(...(use ?? []).map((one) => one.firstAt));
  const isSeen = seen.size === 1 && isOld(firstAt, ONE_VARIANT_DAYS - SLACK_DAYS);
  if (isSeen || servedToAll(environments).size === 1) return { reason: 'one_variant', since: changedAt };
  return null;
}

/**
 * The variants that environments are configured to serve to everybody, null for the caller's default; two or more if
 * one of them has a rollout.
 */
function servedToAll(environments: readonly EnvironmentFacts[]): ReadonlySet<string | null> {
  const served = new Set<string | null>();
  for (const { config } of environments) {
    if (!config.enabled) {
      served.add(config.off_variant);
      continue;
    }
    const { variant, rollout } = config.fallthrough;
    if (variant !== undefined) served.add(variant);
    for (const { variant, weight } of rollout?.weights ?? []) if (weight > 0) served.add(variant);
    for (const rule of config.rules) {
      if (rule.variant !== undefined) served.add(rule.variant);
      for (const { variant, weight } of rule.rollout?.weights ?? []) if (weight > 0) served.add(variant);
    }
    for (const { variant } of config.targets) served.add(variant);
  }
  return served;
}
