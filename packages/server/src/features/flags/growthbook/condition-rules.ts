import { type Clause, isDecimalText, type Scalar, TARGETING_KEY } from '@fanion/flag-engine';
import { NotExpressible, ofAnyType } from '../evaluation/index.ts';
import { type Condition, not } from './condition.ts';
import { decimalPattern, type Order, tooLong } from './number-patterns.ts';
import { idAttribute } from './remote-rules.ts';
import { matchingText, sameLetters, textAt, wholeText } from './text-patterns.ts';
import { versionTests } from './version-patterns.ts';

/** A clause other than `in_segment`. @throws NotExpressible */
export function clauseOf(clause: Clause): Condition {
  const { op, negate = false, as, context_kind, attribute = '' } = clause;
  if (context_kind !== undefined) throw new NotExpressible(`reads the context kind "${context_kind}"`);
  const isUnit = attribute === TARGETING_KEY;
  const path = pathOf(attribute);
  const present = isUnit ? hasUnit(path) : { [path]: as === 'size' ? { $type: 'array' } : { $exists: true } };
  if (op === 'exists') return negate ? not(present) : present;
  const matches = isUnit ? unitMatch(clause) : attributeMatch(path, clause);
  const isComplement = op === 'not_in' || op === 'neq';
  if (negate === isComplement) return matches;
  // A missing attribute matches the complements, and no other negated comparison.
  return isComplement ? not(matches) : { $and: [present, not(matches)] };
}

/** The attribute's name as a path there, where dots separate parts. @throws NotExpressible */
export function pathOf(name: string): string {
  if (name === TARGETING_KEY) return idAttribute;
  const parts = name.startsWith('/') ? name.slice(1).split('/').map(unescaped) : [name];
  for (const part of parts) {
    // There, inherited properties are attributes, and a position in a list is one in some languages only.
    const isUsable = part !== '' && !/^\$|\.|^\d+$/.test(part) && !(part in Object.prototype || part in []);
    if (!isUsable || name === 'now') throw new NotExpressible(`reads the attribute "${name}"`);
  }
  return parts.join('.');
}

const unescaped = (token: string) => token.replaceAll('~1', '/').replaceAll('~0', '~');

/** Whether an attribute identifies a unit: a text, a number other than 0, or true. */
export function hasUnit(path: string): Condition {
  const forms = [{ $type: 'string', $ne: '' }, { $type: 'number', $ne: 0 }, { $eq: true }];
  return { $or: forms.map((form) => ({ [path]: form })) };
}

/** Whether the unit is one of these. The attribute may also be a number other than 0, or true, which is that text for the engine. */
export function unitIn(units: readonly Scalar[]): Condition {
  const identifying = ofAnyType(units.filter((unit) => typeof unit === 'string')).filter(Boolean);
  return { [idAttribute]: { $in: identifying, $not: { $type: 'array' } } };
}

function unitMatch(clause: Clause): Condition {
  const { op, as, ignore_case = false } = clause;
  const isText = as === 'text' && isEquality(clause) && clause.values.every((value) => typeof value === 'string');
  if (as !== undefined && !isText) throw new NotExpressible(`reads the targeting key as ${as}`);
  if (isEquality(clause) && !ignore_case) return unitIn(clause.values);
  const text = isEquality(clause) ? sameLetters(textsOf(clause)) : placed(clause);
  if (text === undefined) throw new NotExpressible(`compares the targeting key by ${op}`);
  // A unit may be a number or true, which is its text.
  const { $type: _, ...pattern } = text;
  return { $and: [hasUnit(idAttribute), { [idAttribute]: pattern }] };
}

/** Whether an attribute, or an element of its list, passes one of the tests. */
function attributeMatch(path: string, clause: Clause): Condition {
  if (clause.as === 'size') return { [path]: { $size: sizeTest(clause) } };
  // `$in` looks into a list itself, and in `$elemMatch` also into lists within it.
  const formsOf = (test: Condition) => ('$in' in test ? [test] : [test, { $elemMatch: test }]);
  const forms = testsOf(clause).flatMap(formsOf);
  return forms.length === 1 ? { [path]: forms[0] } : { $or: forms.map((form) => ({ [path]: form })) };
}

function testsOf(clause: Clause): readonly Condition[] {
  const { op, as } = clause;
  const versions = versionTests(clause);
  if (versions !== undefined) return versions;
  if (isEquality(clause)) return equalityTests(clause);
  const text = as === undefined ? placed(clause) : undefined;
  if (text !== undefined) return [text];
  if (op === 'matches') return matchingText(textsOf(clause), clause.ignore_case === true);
  if (!isOrder(op)) throw new NotExpressible(`uses the operator ${op}`);
  if (as !== undefined && as !== 'number') throw new NotExpressible(`reads an attribute as ${as}`);
  // A comparison with any of several numbers is one with the greatest or the least.
  const numbers = numbersOf(clause);
  if (numbers.length === 0) throw new NotExpressible(`compares nothing by ${op}`);
  const number = op === 'lt' || op === 'lte' ? Math.max(...numbers) : Math.min(...numbers);
  const test = { $type: 'number', [`$${op}`]: number };
  return as === 'number' ? [test, decimalText(op, [number])] : [test];
}

function equalityTests(clause: Clause): readonly Condition[] {
  const { as, ignore_case, values } = clause;
  switch (as) {
    case undefined: {
      if (ignore_case !== true) return [{ $in: values }];
      const others = values.filter((value) => typeof value !== 'string');
      return [...(others.length > 0 ? [{ $in: others }] : []), sameLetters(textsOf(clause))];
    }
    case 'number': {
      if (ignore_case === true) throw new NotExpressible('ignores upper and lower case of numbers');
      // A text that is a decimal number is one, and equals no text.
      const equal = values.filter((value) => typeof value !== 'string' || !isDecimalText(value));
      const numbers = numbersOf(clause);
      return [{ $in: equal }, ...(numbers.length > 0 ? [decimalText('eq', numbers)] : [])];
    }
    case 'text':
      if (ignore_case === true || !values.every((value) => typeof value === 'string'))
        throw new NotExpressible('reads an attribute as text');
      return [{ $in: ofAnyType(values) }];
    default:
      throw new NotExpressible(`reads an attribute as ${as}`);
  }
}

function sizeTest(clause: Clause): Condition {
  const { op } = clause;
  const numbers = numbersOf(clause);
  if (isEquality(clause)) return { $in: numbers };
  if (!isOrder(op)) throw new NotExpressible(`uses the operator ${op}`);
  return { [`$${op}`]: op === 'lt' || op === 'lte' ? Math.max(...numbers) : Math.min(...numbers) };
}

function decimalText(order: Order, numbers: readonly number[]): Condition {
  const patterns = numbers.map((number) => {
    const pattern = decimalPattern(order, number);
    if (pattern === undefined) throw new NotExpressible(`compares texts with the number ${number}`);
    return pattern;
  });
  return wholeText(patterns, [tooLong]);
}

const isEquality = ({ op }: Clause) => op === 'in' || op === 'eq' || op === 'not_in' || op === 'neq';
const isOrder = (op: string): op is 'lt' | 'lte' | 'gt' | 'gte' =>
  op === 'lt' || op === 'lte' || op === 'gt' || op === 'gte';
const textsOf = ({ values }: Clause) => values.filter((value) => typeof value === 'string');
const numbersOf = ({ values }: Clause) => values.filter((value) => typeof value === 'number');

/** The test of a text at a place of an attribute. */
function placed(clause: Clause): Condition | undefined {
  const { op, ignore_case = false } = clause;
  if (op !== 'starts_with' && op !== 'contains' && op !== 'ends_with') return undefined;
  return textAt(op, textsOf(clause), ignore_case);
}
