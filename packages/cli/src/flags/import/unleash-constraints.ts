import { parseNetwork } from '@fanion/flag-engine';
import { type Fields, fieldsListOf, textOf, textsOf } from '../../files/fields.ts';
import { NoEqual } from '../../files/report.ts';
import type { ClauseDocument } from '../document.ts';
import { clause, type Expression, NOW, never, oneOf, type Reading } from './expression.ts';

/** Unleash's operators that mean the same here; `true` means negated. */
const NUMBERS: Readonly<Record<string, ClauseDocument['op']>> = {
  NUM_EQ: 'eq',
  NUM_GT: 'gt',
  NUM_GTE: 'gte',
  NUM_LT: 'lt',
  NUM_LTE: 'lte',
};
const VERSIONS: Readonly<Record<string, ClauseDocument['op']>> = {
  SEMVER_EQ: 'semver_eq',
  SEMVER_GT: 'semver_gt',
  SEMVER_GTE: 'semver_gte',
  SEMVER_LT: 'semver_lt',
  SEMVER_LTE: 'semver_lte',
};
const DATES: Readonly<Record<string, ClauseDocument['op']>> = { DATE_AFTER: 'after', DATE_BEFORE: 'before' };
const TEXTS: Readonly<Record<string, ClauseDocument['op']>> = {
  STR_STARTS_WITH: 'starts_with',
  STR_ENDS_WITH: 'ends_with',
  STR_CONTAINS: 'contains',
};

/**
 * All of the constraints of a strategy or segment.
 *
 * @throws NoEqual
 */
export function constraintsOf(constraints: unknown, note: (what: string) => void): Expression {
  return { kind: 'all', of: fieldsListOf(constraints).map((constraint) => constraintOf(constraint, note)) };
}

function constraintOf(constraint: Fields, note: (what: string) => void): Expression {
  const operator = textOf(constraint.operator) ?? '';
  const expression = comparison(operator, constraint, note);
  return constraint.inverted === true ? { kind: 'not', of: expression } : expression;
}

function comparison(operator: string, constraint: Fields, note: (what: string) => void): Expression {
  const attribute = attributeOf(textOf(constraint.contextName) ?? '');
  const values = valuesOf(constraint.values);
  const value = textOf(constraint.value) ?? values[0] ?? '';
  const reading = { ...asText(attribute), ...(constraint.caseInsensitive === true && { ignore_case: true }) };
  if (operator === 'IN' || operator === 'NOT_IN')
    return oneOf(attribute, values, { ...asText(attribute), none: operator === 'NOT_IN' });
  const text = TEXTS[operator];
  if (text !== undefined) return values.length === 0 ? never : clause({ attribute, op: text, values, ...reading });
  const number = NUMBERS[operator];
  if (number !== undefined) {
    if (value.trim() === '' || !Number.isFinite(Number(value)))
      throw new NoEqual(`${operator} compares with "${value}"`);
    return clause({ attribute, op: number, values: [Number(value)], as: 'number' });
  }
  const date = DATES[operator];
  if (date !== undefined) return dateClause(attribute, date, value, note);
  const version = VERSIONS[operator];
  if (version !== undefined) return clause({ attribute, op: version, values: [value] });
  if (operator === 'REGEX') return clause({ attribute, op: 'matches', values: [value], ...reading });
  if (operator === 'IN_CIDR') return inNetworks(attribute, values, note);
  throw new NoEqual(`the operator ${operator} is not supported here`);
}

/** Unleash ignores what is no address and no network. */
export function inNetworks(attribute: string, values: readonly string[], note: (what: string) => void): Expression {
  const networks = values.filter((value) => parseNetwork(value) !== undefined);
  for (const value of values)
    if (!networks.includes(value))
      note(`"${value}" is no IP address and no network, so nobody is in it, as in Unleash`);
  return networks.length === 0 ? never : clause({ attribute, op: 'cidr', values: networks });
}

/** Unleash trims the values of a list and ignores empty ones. */
function valuesOf(values: unknown): string[] {
  return textsOf(values)
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

/** Unleash compares every field of the context as text. The targeting key is one. */
export function asText(attribute: string): Reading {
  return attribute === 'targetingKey' ? {} : { as: 'text' };
}

/** `currentTime` is the time of the evaluation, which Unleash's SDKs fill in. */
function dateClause(attribute: string, op: ClauseDocument['op'], value: string, note: (what: string) => void) {
  if (attribute !== 'currentTime') return clause({ attribute, op, values: [value] });
  note('currentTime is the time of the evaluation here; to evaluate at another time, send it as "now"');
  return clause({ attribute: NOW, op, values: [value] });
}

/** Unleash's `userId` is what OpenFeature calls the targeting key. */
export function attributeOf(contextName: string): string {
  if (contextName === '') throw new NoEqual('a constraint does not name a field of the context');
  return contextName === 'userId' ? 'targetingKey' : contextName;
}
