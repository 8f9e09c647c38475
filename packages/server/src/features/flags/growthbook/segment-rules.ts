import type { Clause, Ruleset } from '@fanion/flag-engine';
import { oncePerKey } from '../../../platform/once-per-key.ts';
import { NotExpressible } from '../evaluation/index.ts';
import { allOf, type Condition, not } from './condition.ts';
import { clauseOf, unitIn } from './condition-rules.ts';

/**
 * Conditions contain the segments that they name, with all keys, since every SDK supports that. The limit is for all segments of one
 * flag, each as often as the flag or one of the segments names it.
 */
const mostInlined = 10_000;

/** What a condition for a segment contains: keys, clauses and values. */
interface Inlined {
  readonly condition: Condition;
  readonly size: number;
}

/** The conditions of one ruleset, for which each segment is converted once. */
export class Conditions {
  readonly #segment: (key: string) => Inlined;

  constructor({ segments }: Pick<Ruleset, 'segments'>) {
    const unusable = (key: string) => new NotExpressible(`names the unusable segment "${key}"`);
    this.#segment = oncePerKey((key) => {
      const segment = Object.hasOwn(segments, key) ? segments[key] : undefined;
      if (segment === undefined) throw unusable(key);
      return this.#inlined(segment);
    }, unusable);
  }

  /** @throws NotExpressible */
  of(clauses: readonly Clause[]): Condition[] {
    return clauses.map((clause) => (clause.op === 'in_segment' ? this.#inSegments(clause) : clauseOf(clause)));
  }

  /** Throws if the segments that clauses name are too large for one flag. @throws NotExpressible */
  requireSmall(clauses: readonly Clause[]): void {
    requireSmall(this.#sizeOf(clauses.filter(({ op }) => op === 'in_segment')));
  }

  #inSegments({ values, negate }: Clause): Condition {
    // There, one of none is true.
    if (values.length === 0) throw new NotExpressible('names no segment');
    const any = { $or: values.map((key) => this.#segment(String(key)).condition) };
    return negate === true ? not(any) : any;
  }

  #inlined({ key, included, excluded, rules }: Ruleset['segments'][string]): Inlined {
    const keys = included.length + excluded.length;
    if (keys > mostInlined)
      throw new NotExpressible(`names the segment "${key}", which has more than ${mostInlined} keys`);
    const size = keys + this.#sizeOf(rules.flatMap(({ clauses }) => clauses));
    requireSmall(size);
    const byRules = rules.map(({ clauses, shares = [] }) => {
      if (shares.length > 0) throw new NotExpressible(`names the segment "${key}", which has a percentage`);
      return allOf(this.of(clauses)) ?? {};
    });
    if (byRules.length === 0) return { condition: unitIn(included), size };
    return { condition: { $or: [unitIn(included), { $and: [not(unitIn(excluded)), { $or: byRules }] }] }, size };
  }

  #sizeOf(clauses: readonly Clause[]): number {
    let size = clauses.length;
    for (const { op, values } of clauses)
      for (const value of values) size += op === 'in_segment' ? this.#segment(String(value)).size : 1;
    return size;
  }
}

function requireSmall(size: number): void {
  if (size > mostInlined)
    throw new NotExpressible(`names segments with more than ${mostInlined} keys, clauses and values`);
}
