import { same } from '../files/differences.ts';
import type { Fields } from '../files/fields.ts';
import { keyOf } from '../flags/import/naming.ts';
import type { RecordedContext } from './records.ts';

/** An answer of Fanion; `value` is undefined where the flag serves nothing. */
export interface OwnAnswer {
  readonly value: unknown;
  readonly variant: string | undefined;
  readonly reason: string | undefined;
  readonly error: string | undefined;
}

export interface FlagDifference {
  readonly flag: string;
  /** `missing`: Fanion does not have the flag. */
  readonly kind: 'missing' | 'differs';
  /** Contexts in which the answers differ, and all with an answer. */
  readonly differing: number;
  readonly compared: number;
  readonly first: { readonly context: Fields; readonly theirs: unknown; readonly ours: OwnAnswer | undefined };
}

/** Collects the differences by flag. */
export function createComparison() {
  const flags = new Map<
    string,
    { compared: number; differing: number; first?: FlagDifference['first']; missing: boolean }
  >();
  let contexts = 0;
  return {
    add({ context, answers = new Map() }: RecordedContext, ours: ReadonlyMap<string, OwnAnswer>): void {
      contexts++;
      for (const [flag, theirs] of answers) {
        const seen = flags.get(flag) ?? { compared: 0, differing: 0, missing: false };
        flags.set(flag, seen);
        seen.compared++;
        const own = ours.get(keyOf(flag, true));
        if (own !== undefined && isEqual(theirs, own)) continue;
        seen.differing++;
        seen.missing ||= own === undefined;
        seen.first ??= { context, theirs, ours: own };
      }
    },
    get contexts() {
      return contexts;
    },
    get flags() {
      return flags.size;
    },
    get differences(): FlagDifference[] {
      return [...flags].flatMap(([flag, { missing, differing, compared, first }]) =>
        first === undefined ? [] : [{ flag, kind: missing ? 'missing' : 'differs', differing, compared, first }],
      );
    },
  };
}

/** A feature of Unleash answers with the name of its variant, or false where it is off. */
function isEqual(theirs: unknown, { value, variant, error }: OwnAnswer): boolean {
  if (error !== undefined) return false;
  if (same(theirs ?? undefined, value ?? undefined)) return true;
  return typeof theirs === 'string' && theirs === variant;
}
