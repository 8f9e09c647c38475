/** Which flags SDKs of other products cannot evaluate themselves: each product's own rules say why. */

import type { Compatibility } from '@fanion/contract';
import type { Flag, Ruleset } from '@fanion/flag-engine';
import type { Rulesets } from '../evaluation/index.ts';
import { launchDarklyReasons } from '../launchdarkly/index.ts';

/** Of what an environment serves; undefined for a flag that it does not serve. */
export type ReadCompatibility = (environmentId: string, flag: string) => Promise<Compatibility | undefined>;

export function createCompatibility(rulesets: Pick<Rulesets, 'get'>): ReadCompatibility {
  return async (environmentId, key) => {
    const ruleset = (await rulesets.get(environmentId))?.ruleset;
    const flag = ruleset !== undefined && Object.hasOwn(ruleset.flags, key) ? ruleset.flags[key] : undefined;
    return ruleset === undefined || flag === undefined ? undefined : compatibilityOf(flag, ruleset);
  };
}

function compatibilityOf(flag: Flag, ruleset: Ruleset): Compatibility {
  return { launchdarkly: launchDarklyReasons(flag, ruleset) };
}
