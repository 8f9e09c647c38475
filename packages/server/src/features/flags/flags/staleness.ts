import type { TargetingConfig } from './rules.ts';

const DAY_MS = 86_400_000;
/** After so long with one and the same variant a temporary flag decides nothing any more. */
const ONE_VARIANT_DAYS = 30;
/** After so long without an evaluation nobody asks it any more. */
export const UNUSED_DAYS = 14;
/** A flag that is asked for rarely may have been so a little after the 30 days began. */
const SLACK_DAYS = 1;

export interface Staleness {
  readonly reason: 'one_variant' | 'not_evaluated';
  /** Since when, in Unix milliseconds. */
  readonly since: number;
}

/** What is known of the use of a flag in an environment, over the last 31 days; `lastAt` may be older. */
export interface Use {
  readonly firstAt: number;
  readonly lastAt: number;
  readonly variants: readonly string[];
}

export interface EnvironmentFacts {
  /** What it is told to serve, a running ramp taken in. */
  readonly config: TargetingConfig;
  /** When that changed last. */
  readonly changedAt: number;
}

/**
 * Whether a temporary flag can go, by what it was seen to serve, else by what it is told to serve. Nothing is said of one
 * that was changed meanwhile: somebody works with it.
 * @param use of all environments; undefined: not known, and then only the configuration counts
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

/** What environments are told to serve to everybody, null for the caller's default; two or more where one of them divides. */
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
