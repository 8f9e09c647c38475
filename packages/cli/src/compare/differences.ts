import { same } from '../files/differences.ts';
import type { Fields } from '../files/fields.ts';
import { keyOf } from '../flags/import/naming.ts';
import { DISABLED } from '../flags/import/unleash-variants.ts';
import type { RecordedContext } from './records.ts';
import type { Product } from './vendors.ts';

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
export function createComparison(product: Product) {
  const isEqual = product === 'unleash' ? isEqualToUnleash : isEqualValue;
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

function isEqualValue(theirs: unknown, { value, error }: OwnAnswer): boolean {
  return error === undefined && same(theirs ?? undefined, value ?? undefined);
}

/** A feature with variants answers with the name of one, or with false when it is off: the import serves `disabled` then. */
function isEqualToUnleash(theirs: unknown, own: OwnAnswer): boolean {
  if (isEqualValue(theirs, own)) return true;
  if (own.error !== undefined || own.variant === undefined) return false;
  return own.variant === (theirs === false ? DISABLED : theirs);
}
