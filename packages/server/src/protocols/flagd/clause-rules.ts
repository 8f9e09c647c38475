import { type Clause, parseInstant, type Scalar } from '@fanion/flag-engine';
import { NotExpressible, ofAnyType } from '../../features/flags/evaluation/index.ts';
import { never } from './instants.ts';
import { all, any, differs, equals, it, type Logic, merged, not, type Order, oneOf, signs } from './logic.ts';
import { shared } from './shared-tests.ts';
import { textTest } from './text-rules.ts';
import { readTime } from './time-rules.ts';
import { versionTests } from './version-rules.ts';

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
  return some(merged(read(attribute)), equalityTest(values));
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

/** In Go, the test must not be a plain boolean. */
const some = (list: Logic, test: Logic): Logic => ({
  some: [list, typeof test === 'boolean' ? { and: [test] } : test],
});

function anyElement(value: Logic, clause: Clause): Logic {
  const { op, as } = clause;
  const list = merged(value);
  if (op.startsWith('semver_')) {
    const read = shared(as === 'version' ? 'fanion-version-of' : 'fanion-version');
    const { inGo, elsewhere } = versionTests(clause);
    return { if: [shared('fanion-go'), some(list, inGo), some({ map: [list, read] }, elsewhere)] };
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

const isBoolean = (value: boolean) => shared(`fanion-${value}`);

/** In Python, 1 equals `true`, and 0 equals `false`. In Go, 5 equals `"5"`, and 0 every text that is no number. */
function equalityTest(values: readonly Scalar[]): Logic {
  const texts = values.filter((value) => typeof value === 'string');
  const numbers = values.filter((value) => typeof value === 'number');
  for (const number of numbers) requireExact(number);
  const booleans = [true, false].filter((value) => values.includes(value));
  const mistaken = [true, false].filter((value) => numbers.includes(Number(value)));
  return any([
    ...(texts.length > 0 ? [all([oneOf(it, texts), { if: [shared('fanion-go'), shared('fanion-text'), true] }])] : []),
    ...(numbers.length > 0 ? [all([oneOfNumbers(numbers), ...mistaken.map((value) => not(isBoolean(value)))])] : []),
    ...booleans.map((value) => all([equals(it, value), isBoolean(value)])),
  ]);
}

/** Compares the number that a shared test has read, or null. */
function numberTest(clause: Clause): Logic {
  const numbers = numbersOf(clause);
  if (isOrder(clause.op)) return all([differs(it, null), orderTest(clause.op, numbers)]);
  if (!isEquality(clause.op))
    throw new NotExpressible(`reads an attribute as a number and compares it by ${clause.op}`);
  return oneOfNumbers(numbers);
}

/** In Java, a list with 0 does not have -0. */
function oneOfNumbers(numbers: readonly number[]): Logic {
  return any([oneOf(it, numbers), ...(numbers.includes(0) ? [equals(it, 0)] : [])]);
}

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

/** Compares the instant that a shared test has read, or `never`. @throws NotExpressible */
function timeTest({ op, values }: Clause): Logic {
  const instants = values.map((value) => {
    const instant = parseInstant(value);
    if (instant === undefined) throw new NotExpressible(`compares with ${JSON.stringify(value)}, which is not a time`);
    requireExact(instant);
    return instant;
  });
  return all([differs(it, never), orderTest(op === 'before' ? 'lt' : 'gt', instants)]);
}
