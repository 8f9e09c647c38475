import { attributeReader } from './attribute.ts';
import type { AttributeReader, CompiledClause, Scope, Test } from './compiled.ts';
import { at, Malformed } from './failure.ts';
import { wrongForm } from './form.ts';
import { kindNamed } from './kind.ts';
import { inSegment } from './membership.ts';
import { operatorOf } from './operators/index.ts';
import type { Matcher } from './operators/operator.ts';
import { readAs } from './read-as.ts';
import type { Clause } from './ruleset.ts';

/** @throws Malformed */
export function compileClause(clause: Clause): CompiledClause {
  const { op, values } = clause;
  const negate = clause.negate === true;
  if (op === 'in_segment') return { source: clause, read: undefined, test: segmentTest(clause, negate) };
  const wrong = wrongForm(clause);
  if (wrong !== undefined) throw new Malformed(wrong.message);
  const read = readAs(attributeReader(clause.attribute ?? '', kindNamed(clause)), clause.as);
  if (op === 'exists') {
    return { source: clause, read, test: (scope) => isMissing(read(scope)) === negate };
  }
  const operator = operatorOf(op as string);
  if (operator === undefined) throw new Malformed(`unknown operator "${op}"`);
  const how = { ignoreCase: clause.ignore_case === true, version: clause.as === 'version' };
  for (const [i, value] of values.entries()) {
    const wrong = operator.check(value, how);
    if (wrong !== undefined) throw new Malformed(`values.${i}: the value ${wrong}`);
  }
  const complement = op === 'not_in' || op === 'neq';
  return { source: clause, read, test: comparison(read, operator.compile(values, how), negate, complement) };
}

/** @throws Malformed */
export function compileClauses(clauses: readonly Clause[]): CompiledClause[] {
  return clauses.map((clause, i) => at(`clauses.${i}`, () => compileClause(clause)));
}

/** One test for all: no clauses match everything. */
export function allOf(clauses: readonly CompiledClause[]): Test {
  const tests = clauses.map((clause) => clause.test);
  const [first, second] = tests;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  if (tests.length === 2) return (scope) => first(scope) && second(scope);
  return (scope) => {
    for (const test of tests) if (!test(scope)) return false;
    return true;
  };
}

/** A missing attribute: absent or null. */
export function isMissing(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/**
 * A test that compares an attribute. Scalars compare by the operator, arrays match if any element does, a date is its
 * RFC 3339 text, as it would have arrived over HTTP. Objects, and values that JSON does not know, equal nothing.
 *
 * `complement` turns `in` into `not_in`. It differs from `negate` only for a missing attribute (see `Clause`).
 */
function comparison(read: AttributeReader, matches: Matcher, negate: boolean, complement: boolean): Test {
  const whenMissing = complement && !negate;
  const wanted = negate === complement;
  return (scope) => {
    let actual = read(scope);
    if (actual instanceof Date) actual = actual.toJSON();
    if (typeof actual === 'string' || typeof actual === 'number' || typeof actual === 'boolean') {
      return matches(actual, scope) === wanted;
    }
    if (isMissing(actual)) return whenMissing;
    return (Array.isArray(actual) && anyElement(actual, matches, scope)) === wanted;
  };
}

function anyElement(elements: readonly unknown[], matches: Matcher, scope: Scope): boolean {
  for (const element of elements) {
    const actual = element instanceof Date ? element.toJSON() : element;
    const comparable = typeof actual === 'string' || typeof actual === 'number' || typeof actual === 'boolean';
    if (comparable && matches(actual, scope)) return true;
  }
  return false;
}

function segmentTest(clause: Clause, negate: boolean): Test {
  const keys = clause.values.map((key, i) => {
    if (typeof key !== 'string') throw new Malformed(`values.${i}: the value must be the key of a segment`);
    return key;
  });
  return (scope) => keys.some((key) => inSegment(key, scope)) !== negate;
}
