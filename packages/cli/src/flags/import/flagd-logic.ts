import { isFields, isScalar, listOf, textOf } from '../../files/fields.ts';
import { NoEqual } from '../../files/report.ts';
import { clause, type Expression, never, oneOf, orderWithMissing, versionClause } from './expression.ts';

/** Comparisons as [operator, operator with the sides swapped]. */
const ORDER = { '<': ['lt', 'gt'], '<=': ['lte', 'gte'], '>': ['gt', 'lt'], '>=': ['gte', 'lte'] } as const;
const SEMVER = {
  '=': ['semver_eq', false],
  '!=': ['semver_eq', true],
  '<': ['semver_lt', false],
  '<=': ['semver_gt', true],
  '>': ['semver_gt', false],
  '>=': ['semver_lt', true],
} as const;

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
      return equality(parts);
    case '!=':
    case '!==':
      tools.noteOnce(loosely);
      return not(equality(parts));
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
  'flagd compares as JavaScript does ("7" is more than 5, null equals false): here types are never converted, and a list matches when one of its elements does';

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

function equality(parts: readonly unknown[]): Expression {
  const { attribute, value } = sides(parts);
  if (value === null) return not(exists(attribute));
  return clause({ attribute: attributeOf(attribute, '=='), op: 'eq', values: [scalarOf(value)] });
}

function order(operator: keyof typeof ORDER, parts: readonly unknown[]): Expression {
  if (parts.length === 3) throw new NoEqual(`"${operator}" has both a lower and an upper bound`);
  const { attribute, value, exchanged } = sides(parts);
  const op = ORDER[operator][exchanged ? 1 : 0];
  return orderWithMissing(attributeOf(attribute, operator), op, scalarOf(value));
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
  const text = scalarOf(value);
  const known = typeof operator === 'string' && Object.hasOwn(SEMVER, operator);
  if (!known) throw new NoEqual(`sem_ver "${String(operator)}" is not supported here`);
  const [op, negate] = SEMVER[operator as keyof typeof SEMVER];
  return versionClause(attribute, op, text, negate);
}

function strange(logic: unknown): NoEqual {
  return new NoEqual(`${JSON.stringify(logic)?.slice(0, 80)} is not a condition`);
}
