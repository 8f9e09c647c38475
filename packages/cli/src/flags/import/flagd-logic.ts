import { isFields, isScalar, listOf, textOf } from '../../files/fields.ts';
import { NoEqual } from '../../files/report.ts';
import type { ClauseDocument } from '../document.ts';
import { clause, type Expression, NOW, never, oneOf, orderWithMissing, type Reading } from './expression.ts';

/** Comparisons as [operator, operator with the sides swapped]. */
const ORDER = { '<': ['lt', 'gt'], '<=': ['lte', 'gte'], '>': ['gt', 'lt'], '>=': ['gte', 'lte'] } as const;
const SEMVER: Readonly<Record<string, ClauseDocument['op']>> = {
  '=': 'semver_eq',
  '<': 'semver_lt',
  '<=': 'semver_lte',
  '>': 'semver_gt',
  '>=': 'semver_gte',
  '^': 'semver_same_major',
  '~': 'semver_same_minor',
};

export interface LogicTools {
  /** Replaces a reference to a shared evaluator. */
  readonly resolve: (logic: unknown) => unknown;
  /** Reports a slight difference. */
  readonly note: (what: string) => void;
  /** Reports a slight difference that applies to every flag. */
  readonly noteOnce: (what: string) => void;
}

/**
 * A condition of JsonLogic, as flagd uses it.
 *
 * @throws NoEqual
 */
export function conditionOf(logic: unknown, tools: LogicTools): Expression {
  const resolved = tools.resolve(logic);
  if (typeof resolved === 'boolean') return resolved ? { kind: 'all', of: [] } : never;
  const [entry, ...more] = isFields(resolved) ? Object.entries(resolved) : [];
  if (entry === undefined || more.length > 0) throw strange(resolved);
  const [operator, given] = entry;
  const parts = Array.isArray(given) ? given : [given];
  const inner = () => parts.map((part) => conditionOf(part, tools));
  switch (operator) {
    case 'and':
      return { kind: 'all', of: inner() };
    case 'or':
      return { kind: 'any', of: inner() };
    case '!':
      return not(variableOf(parts[0]) === undefined ? conditionOf(parts[0], tools) : truthy(parts[0]));
    case 'var':
      return truthy(resolved);
    case '!!':
      return variableOf(parts[0]) === undefined ? conditionOf(parts[0], tools) : truthy(parts[0]);
    case '==':
    case '===':
      tools.noteOnce(loosely);
      return equality(parts, operator === '==');
    case '!=':
    case '!==':
      tools.noteOnce(loosely);
      return not(equality(parts, operator === '!='));
    case '<':
    case '<=':
    case '>':
    case '>=':
      tools.noteOnce(loosely);
      return order(operator, parts);
    case 'in':
      return membership(parts, tools);
    case 'starts_with':
    case 'ends_with': {
      const attribute = attributeOf(parts[0], operator);
      return clause({ attribute, op: operator, values: [scalarOf(parts[1])] });
    }
    case 'sem_ver':
      return version(parts);
    default:
      throw new NoEqual(`"${operator}" is not supported here`);
  }
}

const loosely =
  'flagd compares as JavaScript does (true equals 1, null equals false): here only texts that are numbers are converted, and a list matches when one of its elements does';

const not = (of: Expression): Expression => ({ kind: 'not', of });

/** The attribute that `{"var": …}` reads; undefined for anything else. `a.b` is a path, which is a JSON pointer here. */
export function variableOf(logic: unknown): string | undefined {
  if (!isFields(logic) || Object.keys(logic).length !== 1) return undefined;
  const given = Array.isArray(logic.var) ? logic.var[0] : logic.var;
  const name = textOf(given);
  if (name === undefined || name.startsWith('$flagd.')) return name;
  return name.includes('.') ? `/${name.split('.').join('/')}` : name;
}

function attributeOf(logic: unknown, operator: string): string {
  const attribute = variableOf(logic);
  if (attribute === undefined) throw new NoEqual(`"${operator}" compares something other than an attribute`);
  if (attribute.startsWith('$flagd.')) throw new NoEqual(`${attribute} exists only in flagd`);
  if (isFields(logic) && listOf(logic.var).length > 1) throw new NoEqual(`${attribute} has a default value`);
  return attribute;
}

function scalarOf(value: unknown): string | number | boolean {
  if (!isScalar(value)) throw new NoEqual(`it compares with ${JSON.stringify(value)?.slice(0, 80)}`);
  return value;
}

/** True for a value that is neither missing nor false, "" or 0, as in JavaScript. */
function truthy(logic: unknown): Expression {
  const attribute = attributeOf(logic, 'var');
  return { kind: 'all', of: [exists(logic), clause({ attribute, op: 'not_in', values: [false, '', 0] })] };
}

function exists(logic: unknown): Expression {
  return clause({ attribute: attributeOf(logic, '!'), op: 'exists', values: [] });
}

/** Puts the side that is an attribute first. */
function sides([a, b]: readonly unknown[]): { attribute: unknown; value: unknown; exchanged: boolean } {
  const exchanged = variableOf(a) === undefined && variableOf(b) !== undefined;
  return exchanged ? { attribute: b, value: a, exchanged } : { attribute: a, value: b, exchanged };
}

/** @param loose whether a text that is a number equals that number */
function equality(parts: readonly unknown[], loose: boolean): Expression {
  const { attribute, value } = sides(parts);
  if (value === null) return not(exists(attribute));
  const given = scalarOf(value);
  return clause({
    attribute: attributeOf(attribute, '=='),
    op: 'eq',
    values: [given],
    ...(loose && readingFor(given)),
  });
}

/** How an attribute is read to be compared loosely with a value. */
function readingFor(value: string | number | boolean): Reading {
  if (typeof value === 'number') return { as: 'number' };
  return typeof value === 'string' && String(Number(value)) === value ? { as: 'text' } : {};
}

/** `{"<=": [a, x, b]}` has both a lower and an upper bound. */
function order(operator: keyof typeof ORDER, parts: readonly unknown[]): Expression {
  const [first, middle, last] = parts;
  if (parts.length === 3)
    return { kind: 'all', of: [order(operator, [first, middle]), order(operator, [middle, last])] };
  const { attribute, value, exchanged } = sides(parts);
  const op = ORDER[operator][exchanged ? 1 : 0];
  if (variableOf(attribute) === TIMESTAMP) return timeClause(op, value);
  return orderWithMissing(attributeOf(attribute, operator), op, scalarOf(value));
}

/** Seconds since 1970 at the evaluation. */
const TIMESTAMP = '$flagd.timestamp';

/** flagd counts whole seconds, and `now` milliseconds: "after second 5" begins with second 6. */
function timeClause(op: 'lt' | 'lte' | 'gt' | 'gte', value: unknown): Expression {
  if (typeof value !== 'number') throw new NoEqual(`${TIMESTAMP} is compared with something other than a number`);
  const from = op === 'gte' || op === 'lt' ? Math.ceil(value) : Math.floor(value) + 1;
  return clause({ attribute: NOW, op: op === 'gte' || op === 'gt' ? 'gte' : 'lt', values: [from * 1_000] });
}

/** `in` searches for an element of a list, or for a text within a text. */
function membership([needle, haystack]: readonly unknown[], { note }: LogicTools): Expression {
  if (Array.isArray(haystack)) {
    return oneOf(attributeOf(needle, 'in'), haystack.map(scalarOf));
  }
  if (typeof needle === 'string') {
    const attribute = attributeOf(haystack, 'in');
    note(`if ${attribute} is a list, one element that contains "${needle}" matches`);
    return clause({ attribute, op: 'contains', values: [needle] });
  }
  throw new NoEqual('"in" compares two attributes');
}

function version([variable, operator, value]: readonly unknown[]): Expression {
  const attribute = attributeOf(variable, 'sem_ver');
  const values = [String(scalarOf(value))];
  const compared = (op: ClauseDocument['op'], negate = false) =>
    clause({ attribute, op, values, negate, as: 'version' });
  // Every version is above the one of the second clause, and what is not a version differs from none.
  if (operator === '!=') {
    const isVersion = clause({ attribute, op: 'semver_gte', values: ['0.0.0-0'], as: 'version' });
    return { kind: 'all', of: [compared('semver_eq', true), isVersion] };
  }
  const op = typeof operator === 'string' && Object.hasOwn(SEMVER, operator) ? SEMVER[operator] : undefined;
  if (op === undefined) throw new NoEqual(`sem_ver "${String(operator)}" is not supported here`);
  return compared(op);
}

function strange(logic: unknown): NoEqual {
  return new NoEqual(`${JSON.stringify(logic)?.slice(0, 80)} is not a condition`);
}
