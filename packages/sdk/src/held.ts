import {
  type CompiledRuleset,
  compileRuleset,
  patchRuleset,
  type Ruleset,
  type RulesetPatch,
} from '@fanion/flag-engine';
import { changedFlags, patched } from './ruleset.ts';

/** So often in a row an older ruleset has to be offered before it is taken for what the server now has. */
const CONVINCED_AFTER = 3;

/** The ruleset that is served from, and how it moves on. */
export interface HeldRuleset {
  readonly ruleset: Ruleset | undefined;
  readonly compiled: CompiledRuleset | undefined;
  /**
   * Offers a whole ruleset. An older one is `refused`, since it comes from a replica that lags behind; offered again
   * and again it is taken, since then the server was put back to an older state.
   */
  offer(ruleset: Ruleset): 'taken' | 'known' | 'refused';
  /** A patch belongs on what the stream sent before it; one that is known already is passed over. */
  patch(patch: RulesetPatch): void;
}

/**
 * @param onChange called after a newer ruleset is served from; with the keys of the flags that may be served
 * differently, unless it is the first
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
