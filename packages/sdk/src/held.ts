import {
  type CompiledRuleset,
  compileRuleset,
  patchRuleset,
  type Ruleset,
  type RulesetPatch,
} from '@fanion/flag-engine';
import { changedFlags, patched } from './ruleset.ts';

/** How many consecutive times an older ruleset must be offered before it is accepted as the server's present state. */
const CONVINCED_AFTER = 3;

/** The current ruleset and its updates. */
export interface HeldRuleset {
  readonly ruleset: Ruleset | undefined;
  readonly compiled: CompiledRuleset | undefined;
  /**
   * Offers a complete ruleset. An older one is `refused`, since it may come from a replica that lags behind. If it is
   * offered repeatedly, it is accepted, since the server was then restored to an older state.
   */
  offer(ruleset: Ruleset): 'taken' | 'known' | 'refused';
  /** A patch applies to the version that the stream sent before it; a known one is skipped. */
  patch(patch: RulesetPatch): void;
}

/**
 * @param onChange called after a newer ruleset is in use, with the keys of the flags that may have changed, unless it
 *   is the first
 */
export function holdRuleset(onChange: (ruleset: Ruleset, flags: string[] | undefined) => void): HeldRuleset {
  let ruleset: Ruleset | undefined;
  let compiled: CompiledRuleset | undefined;
  let refusals = 0;

  function swap(next: Ruleset, nextCompiled: CompiledRuleset): void {
    const flags = ruleset === undefined ? undefined : changedFlags(ruleset, next);
    ruleset = next;
    compiled = nextCompiled;
    refusals = 0;
    onChange(next, flags);
  }

  return {
    get ruleset() {
      return ruleset;
    },
    get compiled() {
      return compiled;
    },
    offer(next) {
      const comparable =
        ruleset !== undefined && ruleset.environment === next.environment && ruleset.project === next.project;
      if (comparable && ruleset?.version === next.version) {
        refusals = 0;
        return 'known';
      }
      if (comparable && (ruleset?.version ?? 0) > next.version && ++refusals < CONVINCED_AFTER) return 'refused';
      swap(next, compileRuleset(next, { clock: Date.now }));
      return 'taken';
    },
    patch(patch) {
      if (ruleset === undefined || compiled === undefined || patch.version <= ruleset.version) return;
      swap(patched(ruleset, patch), patchRuleset(compiled, patch));
    },
  };
}
