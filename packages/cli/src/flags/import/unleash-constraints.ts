import { type Fields, fieldsListOf, textOf, textsOf } from '../../files/fields.ts';
import { NoEqual } from '../../files/report.ts';
import type { ClauseDocument } from '../document.ts';
import { clause, type Expression, ignoringCase, never, oneOf, versionClause } from './expression.ts';

/** Unleash's operators that mean the same here; `true` means negated. */
const NUMBERS: Readonly<Record<string, ClauseDocument['op']>> = {
  NUM_EQ: 'eq',
  NUM_GT: 'gt',
  NUM_GTE: 'gte',
  NUM_LT: 'lt',
  NUM_LTE: 'lte',
};
const VERSIONS: Readonly<Record<string, readonly [ClauseDocument['op'], boolean]>> = {
  SEMVER_EQ: ['semver_eq', false],
  SEMVER_GT: ['semver_gt', false],
  SEMVER_LT: ['semver_lt', false],
  SEMVER_GTE: ['semver_lt', true],
  SEMVER_LTE: ['semver_gt', true],
};
const DATES: Readonly<Record<string, ClauseDocument['op']>> = { DATE_AFTER: 'after', DATE_BEFORE: 'before' };
const TEXTS: Readonly<
  Record<string, { readonly op: ClauseDocument['op']; readonly start: boolean; readonly end: boolean }>
> = {
  STR_STARTS_WITH: { op: 'starts_with', start: true, end: false },
  STR_ENDS_WITH: { op: 'ends_with', start: false, end: true },
  STR_CONTAINS: { op: 'contains', start: false, end: false },
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
  const values = textsOf(constraint.values);
  const value = textOf(constraint.value) ?? values[0] ?? '';
  if (operator === 'IN' || operator === 'NOT_IN') {
    if (attribute !== 'targetingKey') note(`${attribute} is compared with texts, as in Unleash: send it as a text`);
    return oneOf(attribute, values, operator === 'NOT_IN');
  }
  const text = TEXTS[operator];
  if (text !== undefined) {
    if (values.length === 0) return never;
    if (constraint.caseInsensitive !== true) return clause({ attribute, op: text.op, values });
    return clause({ attribute, op: 'matches', values: values.map((each) => ignoringCase(each, text)) });
  }
  const number = NUMBERS[operator];
  if (number !== undefined) {
    if (value.trim() === '' || !Number.isFinite(Number(value)))
      throw new NoEqual(`${operator} compares with "${value}"`);
    note(`${attribute} is compared as a number: send it as a number, not as a text`);
    return clause({ attribute, op: number, values: [Number(value)] });
  }
  const date = DATES[operator];
  if (date !== undefined) {
    if (attribute === 'currentTime')
      note('currentTime is not filled in automatically: send it in the evaluation context');
    return clause({ attribute, op: date, values: [value] });
  }
  const version = VERSIONS[operator];
  if (version !== undefined) {
    const [op, negate] = version;
    return versionClause(attribute, op, value, negate);
  }
  if (operator === 'REGEX') {
    return clause({ attribute, op: 'matches', values: [constraint.caseInsensitive === true ? `(?i)${value}` : value] });
  }
  throw new NoEqual(`the operator ${operator} is not supported here`);
}

/** Unleash's `userId` is what OpenFeature calls the targeting key. */
export function attributeOf(contextName: string): string {
  if (contextName === '') throw new NoEqual('a constraint does not name a field of the context');
  return contextName === 'userId' ? 'targetingKey' : contextName;
}
