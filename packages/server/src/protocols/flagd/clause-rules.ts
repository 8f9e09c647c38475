import {
  type Clause,
  type JsonValue,
  MAX_TRIED_VALUES,
  parseInstant,
  parseSemver,
  type Scalar,
  withoutV,
} from '@fanion/flag-engine';
import { NotExpressible, ofAnyType } from '../../features/flags/evaluation/index.ts';
import { all, any, differs, equals, it, type Logic, not, oneOf, part } from './logic.ts';
import { isBoolean, shared } from './shared-tests.ts';
import { isVersion, keyOfVersion, numberKey, versionKey } from './text-machines.ts';
import { textTest } from './text-rules.ts';
import { readTime } from './time-rules.ts';

/** A clause other than `in_segment`. @throws NotExpressible */
export function clauseOf(clause: Clause): Logic {
  const { op, attribute = '', negate = false, as, context_kind } = clause;
  if (context_kind !== undefined) throw new NotExpressible(readsKind(context_kind));
  if (as === 'size') throw new NotExpressible('reads the size of a list: compare with an attribute that has the size');
  const value = attribute === 'now' ? readTime(clause) : read(attribute);
  const present = differs(value, null);
  if (op === 'exists') return negate ? not(present) : present;
  const matches = anyElement(value, clause);
  const isComplement = op === 'not_in' || op === 'neq';
  if (negate === isComplement) return matches;
  // A missing attribute matches the complements, and no other negated comparison.
  return isComplement ? not(matches) : all([present, not(matches)]);
}

/** Whether an attribute, or an element of its list, is one of these values. */
export function isListed(attribute: string, values: readonly Scalar[]): Logic {
  return some(elements(read(attribute)), equalityTest(values));
}

/** @throws NotExpressible for names that evaluators read differently */
export function read(attribute: string): Logic {
  if (attribute === 'now') throw new NotExpressible('reads the time as a text: compare it by before or after');
  const parts = attribute.startsWith('/') ? attribute.slice(1).split('/') : [attribute];
  // There, inherited properties are attributes, and a position in a list is also one in a text.
  const isPlain = (name: string) => /^[A-Za-z_][\w -]*$/.test(name) && !(name in Object.prototype || name in []);
  if (!parts.every(isPlain))
    throw new NotExpressible(
      `reads the attribute "${attribute}": use a name of letters, digits and underscores that begins with a letter`,
    );
  return { var: parts.join('.') };
}

export const readsKind = (kind: string) => `reads the context kind "${kind}": read an attribute of the context`;
const textOperators = 'starts_with, ends_with, contains or in';

/** A value that is not a list is a list of one. */
const elements = (value: Logic): Logic => ({ merge: [value] });
const some = (list: Logic, test: Logic): Logic => ({ some: [list, test] });

function anyElement(value: Logic, clause: Clause): Logic {
  const { op, as } = clause;
  const list = elements(value);
  if (op.startsWith('semver_')) {
    const read = shared(as === 'version' ? 'fanion-version-of' : 'fanion-version');
    return some({ map: [list, read] }, versionTest(clause));
  }
  if (op === 'before' || op === 'after') return some({ map: [list, shared('fanion-instant-of')] }, timeTest(clause));
  if (as === 'number') return some({ map: [list, shared('fanion-number-of')] }, numberTest(clause));
  if (isOrder(op)) return some(list, all([shared('fanion-number'), orderTest(op, numbersOf(clause))]));
  const text = textTest(clause);
  if (text !== undefined) return some(list, text);
  if (!isEquality(op))
    throw new NotExpressible(`uses the operator ${op}, which flagd does not have: compare texts by ${textOperators}`);
  return some(list, equalityTest(as === 'text' ? ofAnyType(clause.values) : clause.values));
}

/** In Python, 1 equals true, and 0 equals false. */
function equalityTest(values: readonly Scalar[]): Logic {
  const doubtful = ([true, false] as const).flatMap((value) => {
    const [hasBoolean, hasNumber] = [values.includes(value), values.includes(Number(value))];
    if (hasBoolean === hasNumber) return [];
    return [{ boolean: value, test: hasBoolean ? isBoolean(value) : not(isBoolean(value)) }];
  });
  const isDoubtful = (value: Scalar) => doubtful.some(({ boolean }) => value === boolean || value === Number(boolean));
  const others = values.filter((value) => !isDoubtful(value));
  for (const value of values) if (typeof value === 'number') requireExact(value);
  const tests = doubtful.map(({ boolean, test }) => {
    return all([
      oneOf(
        it,
        values.filter((value) => value === boolean || value === Number(boolean)),
      ),
      test,
    ]);
  });
  return any([...(others.length > 0 ? [oneOf(it, others)] : []), ...tests]);
}

/** Compares the number that a shared test has read, or null. */
function numberTest(clause: Clause): Logic {
  const numbers = numbersOf(clause);
  if (isOrder(clause.op)) return all([differs(it, null), orderTest(clause.op, numbers)]);
  if (!isEquality(clause.op))
    throw new NotExpressible(`reads an attribute as a number and compares it by ${clause.op}`);
  return oneOf(it, numbers);
}

type Order = 'lt' | 'lte' | 'gt' | 'gte';
const signs: Readonly<Record<Order, string>> = { lt: '<', lte: '<=', gt: '>', gte: '>=' };
const isOrder = (op: string): op is Order => Object.hasOwn(signs, op);
const isEquality = (op: string) => op === 'in' || op === 'eq' || op === 'not_in' || op === 'neq';

/** A comparison with any of several numbers is one with the greatest or the least. */
function orderTest(op: Order, numbers: readonly number[]): Logic {
  const number = op === 'lt' || op === 'lte' ? Math.max(...numbers) : Math.min(...numbers);
  return { [signs[op]]: [it, number] };
}

/** @throws NotExpressible */
function numbersOf({ op, values }: Clause): readonly number[] {
  return values.map((value) => {
    if (typeof value !== 'number') throw new NotExpressible(`compares ${JSON.stringify(value)} by ${op} as a number`);
    requireExact(value);
    return value;
  });
}

/** Some languages have whole numbers of any length, which equal none of JSON's. @throws NotExpressible */
function requireExact(value: number): void {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER)
    throw new NotExpressible(`compares with a number beyond ${Number.MAX_SAFE_INTEGER}: compare with a text`);
}

/** Compares the instant that a shared test has read, or null. @throws NotExpressible */
function timeTest({ op, values }: Clause): Logic {
  const instants = values.map((value) => {
    const instant = parseInstant(value);
    if (instant === undefined) throw new NotExpressible(`compares with ${JSON.stringify(value)}, which is not a time`);
    requireExact(instant);
    return instant;
  });
  return all([differs(it, null), orderTest(op === 'before' ? 'lt' : 'gt', instants)]);
}

/** Evaluators write numbers with at most this many digits alike. */
const mostDigits = 15;

/** Of what the shared tests read. @throws NotExpressible */
function versionTest({ op, values, as }: Clause): Logic {
  if (values.length > MAX_TRIED_VALUES)
    throw new NotExpressible(`compares with more than ${MAX_TRIED_VALUES} versions`);
  const tests = values.map((value): Logic => {
    const version = parseSemver(as === 'version' ? withoutV(value) : value);
    if (version === undefined)
      throw new NotExpressible(`compares with ${JSON.stringify(value)}, which is not a version`);
    const { numbers } = version;
    const [major = '', minor = ''] = numbers;
    if (as === 'version' && major.length + minor.length > mostDigits)
      throw new NotExpressible(`compares with a version of more than ${mostDigits} digits: remove "as"`);
    const whole = versionKey(version);
    const begins = (count: number): Logic => {
      const beginning = numbers.slice(0, count).map(numberKey).join('');
      return equals(part(keyOfVersion, 0, beginning.length), beginning);
    };
    switch (op) {
      case 'semver_eq':
        return equals(keyOfVersion, whole);
      case 'semver_same_major':
        return begins(1);
      case 'semver_same_minor':
        return begins(2);
      case 'semver_tilde':
        return all([{ '>=': [keyOfVersion, whole] }, begins(2)]);
      case 'semver_caret':
        return all([{ '>=': [keyOfVersion, whole] }, begins(fixedByCaret(numbers))]);
      default:
        return { [signs[op.slice('semver_'.length) as Order]]: [keyOfVersion, whole] };
    }
  });
  return all([isVersion, any(tests)]);
}

/** `^` keeps the numbers up to the first that is not 0. */
function fixedByCaret(numbers: readonly JsonValue[]): number {
  const first = numbers.findIndex((number) => number !== '0');
  return first === -1 ? numbers.length : first + 1;
}
