/** Which flags SDKs of other products cannot evaluate themselves: each product's own rules say why. */

import type { Compatibility } from '@fanion/contract';
import type { Flag, Ruleset } from '@fanion/flag-engine';
import type { Rulesets } from '../evaluation/index.ts';
import { growthBookReasons } from '../growthbook/index.ts';
import { launchDarklyReasons } from '../launchdarkly/index.ts';
import { unleashReasons } from '../unleash/index.ts';

/**
 * Of a flag as an environment serves it, by its key, or would serve it. Undefined for an unknown environment, or a key that it does
 * not serve.
 */
export type ReadCompatibility = (environmentId: string, flag: string | Flag) => Promise<Compatibility | undefined>;

/** @param flagdReasons why flagd's providers that evaluate themselves do not get a flag; empty: they get it */
export function createCompatibility(
  rulesets: Pick<Rulesets, 'get'>,
  flagdReasons: (flag: Flag, ruleset: Ruleset) => readonly string[],
): ReadCompatibility {
  return async (environmentId, asked) => {
    const served = (await rulesets.get(environmentId))?.ruleset;
    if (served === undefined) return undefined;
    const ruleset = typeof asked === 'string' ? served : { ...served, flags: { ...served.flags, [asked.key]: asked } };
    const key = typeof asked === 'string' ? asked : asked.key;
    const flag = Object.hasOwn(ruleset.flags, key) ? ruleset.flags[key] : undefined;
    return flag && compatibilityOf(flag, ruleset, flagdReasons(flag, ruleset));
  };
}

function compatibilityOf(flag: Flag, ruleset: Ruleset, flagd: readonly string[]): Compatibility {
  return {
    launchdarkly: [...launchDarklyReasons(flag, ruleset)],
    unleash: [...unleashReasons(flag, ruleset)],
    growthbook: [...growthBookReasons(flag, ruleset)],
    flagd: [...flagd],
  };
}
