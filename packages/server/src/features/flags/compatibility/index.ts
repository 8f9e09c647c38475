/** Which flags SDKs of other products cannot evaluate themselves: each product's own rules say why. */

import type { Compatibility } from '@fanion/contract';
import type { Flag, Ruleset } from '@fanion/flag-engine';
import type { Rulesets } from '../evaluation/index.ts';
import { growthBookReasons } from '../growthbook/index.ts';
import { launchDarklyReasons } from '../launchdarkly/index.ts';
import { unleashReasons } from '../unleash/index.ts';

/** Of what an environment serves; undefined for a flag that it does not serve. */
export type ReadCompatibility = (environmentId: string, flag: string) => Promise<Compatibility | undefined>;

/** @param flagdReasons why flagd's providers that evaluate themselves do not get a flag; empty: they get it */
export function createCompatibility(
  rulesets: Pick<Rulesets, 'get'>,
  flagdReasons: (flag: Flag, ruleset: Ruleset) => readonly string[],
): ReadCompatibility {
  return async (environmentId, key) => {
    const ruleset = (await rulesets.get(environmentId))?.ruleset;
    const flag = ruleset !== undefined && Object.hasOwn(ruleset.flags, key) ? ruleset.flags[key] : undefined;
    return ruleset === undefined || flag === undefined
      ? undefined
      : compatibilityOf(flag, ruleset, flagdReasons(flag, ruleset));
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
