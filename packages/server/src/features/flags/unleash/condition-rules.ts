import type { Clause, Ruleset, Segment } from '@fanion/flag-engine';
import { TARGETING_KEY } from '@fanion/flag-engine';
import { type Constraint, inverse, isOneOf, type Need, NotExpressible, needOf } from './constraint-rules.ts';

/** A condition as Unleash's strategies express it: all constraints of one of these lists. `[[]]` is always true, `[]` never. */
export type Condition = readonly (readonly Constraint[])[];

export const always: Condition = [[]];
const never: Condition = [];
/** Each list becomes a strategy. */
const maxStrategies = 50;

/** @throws NotExpressible */
export function all(...conditions: readonly Condition[]): Condition {
  return conditions.reduce((ways, more) => limited(ways.flatMap((way) => more.map((one) => [...way, ...one]))), always);
}

/** @throws NotExpressible */
export function not(condition: Condition): Condition {
  return all(...condition.map((way) => way.map((constraint) => [inverse(constraint)])));
}

function limited<T>(ways: readonly T[]): readonly T[] {
  if (ways.length > maxStrategies) throw new NotExpressible(`needs more than ${maxStrategies} strategies`);
  return ways;
}

/** Translates conditions of one ruleset, each segment once. */
export class Conditions {
  readonly #segments: Ruleset['segments'];
  readonly #known = new Map<string, Condition>();

  constructor({ segments }: Pick<Ruleset, 'segments'>) {
    this.#segments = segments;
  }

  /**
   * Any of several lists of clauses, each of which must match as a whole.
   *
   * @throws NotExpressible
   */
  any(lists: readonly (readonly Clause[])[], above: readonly string[] = []): Condition {
    const ways = lists.flatMap((clauses) =>
      clauses.reduce<readonly (readonly Need[])[]>(
        (so, clause) => limited(so.flatMap((way) => this.#needs(clause, above).map((more) => [...way, ...more]))),
        [[]],
      ),
    );
    return merged(limited(ways)).map((way) => way.map(settled));
  }

  #needs(clause: Clause, above: readonly string[]): readonly (readonly Need[])[] {
    if (clause.op !== 'in_segment') return [[needOf(clause)]];
    const members = limited(clause.values.flatMap((key) => this.#segment(String(key), above)));
    const condition = clause.negate === true ? not(members) : members;
    return condition.map((way) => way.map((constraint) => ({ constraint })));
  }

  #segment(key: string, above: readonly string[]): Condition {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const segment = Object.hasOwn(this.#segments, key) ? this.#segments[key] : undefined;
    if (segment === undefined || above.includes(key)) throw new NotExpressible(`names the unusable segment "${key}"`);
    const condition = this.#membersOf(segment, [...above, key]);
    this.#known.set(key, condition);
    return condition;
  }

  #membersOf({ key, included, excluded, rules }: Segment, above: readonly string[]): Condition {
    if (rules.some(({ shares = [] }) => shares.length > 0))
      throw new NotExpressible(`names the segment "${key}", which has a percentage`);
    const listed: Condition = included.length === 0 ? never : [[isOneOf(TARGETING_KEY, included)]];
    const others: Condition = excluded.length === 0 ? always : [[inverse(isOneOf(TARGETING_KEY, excluded))]];
    const byRule =
      rules.length === 0
        ? never
        : this.any(
            rules.map(({ clauses }) => clauses),
            above,
          );
    return limited([...listed, ...all(others, byRule)]);
  }
}

/**
 * Joins two lists that differ in one need only, where one negates a comparison and the other requires that its attribute is
 * missing: together they are what `inverted` means in Unleash. Importers write such pairs.
 */
function merged(ways: readonly (readonly Need[])[]): readonly (readonly Need[])[] {
  for (const [i, way] of ways.entries())
    for (const [at, need] of way.entries()) {
      if (!('ifPresent' in need)) continue;
      const partner = replaced(way, at, { missing: need.ifPresent.contextName });
      const j = ways.findIndex((other) => JSON.stringify(other) === JSON.stringify(partner));
      if (j === -1) continue;
      const joined = replaced(way, at, { constraint: need.ifPresent });
      return merged(ways.flatMap((other, k) => (k === j ? [] : k === i ? [joined] : [other])));
    }
  return ways;
}

function replaced(way: readonly Need[], at: number, need: Need): readonly Need[] {
  return way.map((one, k) => (k === at ? need : one));
}

function settled(need: Need): Constraint {
  if ('constraint' in need) return need.constraint;
  if ('missing' in need) throw new NotExpressible(`asks whether "${need.missing}" is missing`);
  const { contextName } = need.ifPresent;
  throw new NotExpressible(
    `negates a comparison of "${contextName}", which in Unleash also matches contexts without "${contextName}"`,
  );
}
