import type { InstanceState, Semantics } from '../step-rules.ts';

type Seen = 'true' | 'false' | 'missing' | 'empty';

/**
 * A second, slow reading of the semantics for one instance, as a test compares it: the state after a whole history, found
 * anew from its letters (see `step-rules.test.ts`). It keeps no timers: it counts evaluations.
 */
export function oracle(letters: readonly string[], semantics: Semantics, everyMs: number): InstanceState {
  const evaluations = letters.flatMap((letter): Seen[] => {
    switch (letter) {
      case 'T':
        return ['true'];
      case 'f':
        return ['false'];
      case '-':
        return ['missing'];
      case '0':
        return ['empty'];
      default:
        // Failed and skipped evaluations leave no trace: time stands still.
        return [];
    }
  });
  let state: InstanceState = 'inactive';
  /** Intervals for which the condition has held, or has ended. */
  let held = 0;
  let ended = 0;
  let missed = 0;
  for (const seen of evaluations) {
    const isFiring: boolean = state === 'firing' || state === 'recovering';
    missed = seen === 'missing' ? missed + 1 : seen === 'empty' ? missed : 0;
    const ends = seen === 'missing' && semantics.missingSeries === 'resolve';
    const goes = ends && !semantics.missingIsFalse && missed >= 2;
    if (goes) state = isFiring ? 'resolved' : state === 'pending' ? 'inactive' : state;
    const isFalse =
      seen === 'false' || (seen === 'empty' && semantics.noData === 'ok') || (ends && semantics.missingIsFalse);
    if (seen === 'true') {
      held = isFiring || state === 'pending' ? held + (seen === 'true' ? 1 : 0) : 0;
      state =
        held * everyMs >= semantics.forMs || (isFiring && held * everyMs >= semantics.forMs) ? 'firing' : 'pending';
    }
    if (isFalse && state === 'pending') state = 'inactive';
    else if (isFalse && isFiring) {
      ended = state === 'recovering' ? ended + 1 : 0;
      state = ended * everyMs >= semantics.keepFiringForMs ? 'resolved' : 'recovering';
    }
  }
  return state;
}
