import type { Clause, Ruleset, Segment } from '@fanion/flag-engine';
import { TARGETING_KEY } from '@fanion/flag-engine';
import { oncePerKey } from '../../../platform/once-per-key.ts';
import { NotExpressible } from '../evaluation/index.ts';
import { type Constraint, inverse, isOneOf, type Need, needOf } from './constraint-rules.ts';

/** A condition as Unleash's strategies express it: all constraints of one of these lists. `[[]]` is always true, `[]` never. */
export type Condition = readonly (readonly Constraint[])[];

export const always: Condition = [[]];
const never: Condition = [];
/** Each list becomes a strategy. */
const maxStrategies = 50;
/** In all strategies of one condition. */
const maxConstraints = 1_000;

/** @throws NotExpressible */
export function all(...conditions: readonly Condition[]): Condition {
  return conditions.reduce<Condition>(both, always);
}

/** @throws NotExpressible */
export function not(condition: Condition): Condition {
  return all(...condition.map((way) => way.map((constraint) => [inverse(constraint)])));
}

const strictly: Readonly<Record<string, string>> = { SEMVER_GTE: 'SEMVER_GT', SEMVER_LTE: 'SEMVER_LT' };

/** The SDK for Go, and older ones for other languages, do not know these operators: they match nobody there. */
function ofOlderOperators(constraint: Constraint): Condition {
  const operator = strictly[constraint.operator];
  if (operator === undefined) return [[constraint]];
  const [differs, equals] = [
    { ...constraint, operator },
    { ...constraint, operator: 'SEMVER_EQ' },
  ];
  return constraint.inverted ? [[differs, equals]] : [[differs], [equals]];
}

/** Every way to match both. */
function both<T>(ways: readonly (readonly T[])[], more: readonly (readonly T[])[]): readonly (readonly T[])[] {
  requireFew(ways.length * more.length);
  return limited(ways.flatMap((way) => more.map((one) => [...way, ...one])));
}

function requireFew(strategies: number): void {
  if (strategies > maxStrategies) throw new NotExpressible(`needs more than ${maxStrategies} strategies`);
}

function limited<T>(ways: readonly (readonly T[])[]): readonly (readonly T[])[] {
  requireFew(ways.length);
  if (ways.reduce((sum, way) => sum + way.length, 0) > maxConstraints)
    throw new NotExpressible(`needs more than ${maxConstraints} constraints`);
  return ways;
}

/** Translates conditions of one ruleset, each segment once. */
export class Conditions {
  readonly #segment: (key: string) => Condition;

  constructor({ segments }: Pick<Ruleset, 'segments'>) {
    const unusable = (key: string) => new NotExpressible(`names the unusable segment "${key}"`);
    this.#segment = oncePerKey((key) => {
      const segment = Object.hasOwn(segments, key) ? segments[key] : undefined;
      if (segment === undefined) throw unusable(key);
      return this.#membersOf(segment);
    }, unusable);
  }

  /**
   * Any of several lists of clauses, each of which must match as a whole.
   *
   * @throws NotExpressible
   */
  any(lists: readonly (readonly Clause[])[]): Condition {
    const ways = lists.flatMap((clauses) =>
      clauses.reduce<readonly (readonly Need[])[]>((so, clause) => both(so, this.#needs(clause)), [[]]),
    );
    return limited(merged(limited(ways)).flatMap((way) => all(...way.map(settled).map(ofOlderOperators))));
  }

  #needs(clause: Clause): readonly (readonly Need[])[] {
    if (clause.op !== 'in_segment') return [[needOf(clause)]];
    const members = limited(clause.values.flatMap((key) => this.#segment(String(key))));
    const condition = clause.negate === true ? not(members) : members;
    return condition.map((way) => way.map((constraint) => ({ constraint })));
  }

  #membersOf({ key, included, excluded, rules }: Segment): Condition {
    if (rules.some(({ shares = [] }) => shares.length > 0))
      throw new NotExpressible(`names the segment "${key}", which has a percentage`);
    const listed: Condition = included.length === 0 ? never : [[isOneOf(TARGETING_KEY, included)]];
    const others: Condition = excluded.length === 0 ? always : [[inverse(isOneOf(TARGETING_KEY, excluded))]];
    const byRule = rules.length === 0 ? never : this.any(rules.map(({ clauses }) => clauses));
    return limited([...listed, ...all(others, byRule)]);
  }
}

/**
 * Joins two lists that differ in one need only, where one negates a comparison and the other requires that its attribute is
 * missing: together they are what `inverted` means in Unleash. Importers write such pairs.
 */
function merged(ways: readonly (readonly Need[])[]): readonly (readonly Need[])[] {
  if (!ways.some((way) => way.some((need) => 'missing' in need))) return ways;
  const idOf = needIds();
  let rest = ways.map((needs) => ({ needs, ids: needs.map(idOf) }));
  for (;;) {
    const pair = pairOf(rest, idOf);
    if (pair === undefined) return rest.map(({ needs }) => needs);
    const { i, j, joined } = pair;
    const one = { needs: joined, ids: joined.map(idOf) };
    rest = rest.flatMap((other, k) => (k === j ? [] : k === i ? [one] : [other]));
  }
}

interface Way {
  readonly needs: readonly Need[];
  readonly ids: readonly number[];
}

/** The first two lists that can be joined. */
function pairOf(ways: readonly Way[], idOf: (need: Need) => number) {
  for (const [i, { needs, ids }] of ways.entries()) {
    const differences = ways.map((other) => onlyDifference(ids, other.ids));
    for (const [at, need] of needs.entries()) {
      if (!('ifPresent' in need) || !differences.includes(at)) continue;
      const missing = idOf({ missing: need.ifPresent.contextName });
      const j = ways.findIndex((other, k) => differences[k] === at && other.ids[at] === missing);
      if (j !== -1) return { i, j, joined: replaced(needs, at, { constraint: need.ifPresent }) };
    }
  }
  return undefined;
}

function onlyDifference(one: readonly number[], other: readonly number[]): number | undefined {
  if (one.length !== other.length) return undefined;
  const at = one.findIndex((id, k) => id !== other[k]);
  return at === -1 || one.some((id, k) => k > at && id !== other[k]) ? undefined : at;
}

/** Numbers that are equal for equal needs. Each need and each list of values is written as text once. */
function needIds(): (need: Need) => number {
  const ids = new Map<string, number>();
  const known = new Map<unknown, number>();
  function idOf(part: unknown, write: () => string): number {
    let id = known.get(part);
    if (id !== undefined) return id;
    const text = write();
    id = ids.get(text) ?? ids.size;
    ids.set(text, id);
    known.set(part, id);
    return id;
  }
  const shortened = (name: string, value: unknown) =>
    name === 'values' ? idOf(value, () => JSON.stringify(value)) : value;
  return (need) => idOf(need, () => JSON.stringify(need, shortened));
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
