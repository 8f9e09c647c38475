import { type Fields, isFields, isScalar, listOf } from '../../files/fields.ts';
import { NoEqual, type Report } from '../../files/report.ts';
import type { ClauseDocument, SegmentDocument } from '../document.ts';
import { always, clause, type Expression, oneOf, orderWithMissing, versionClause } from './expression.ts';
import { type Keys, keyOf } from './naming.ts';

/** Saved groups by id, and where to report slight differences. */
export interface Groups {
  readonly of: (id: string) => SegmentDocument | undefined;
  readonly note: (what: string) => void;
}

/** GrowthBook's operators that mean the same here; `true` means negated. */
type Comparison = readonly [ClauseDocument['op'], boolean];
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  $eq: ['eq', false],
  $ne: ['neq', false],
  $gt: ['gt', false],
  $gte: ['gte', false],
  $lt: ['lt', false],
  $lte: ['lte', false],
  $regex: ['matches', false],
  $veq: ['semver_eq', false],
  $vne: ['semver_eq', true],
  $vgt: ['semver_gt', false],
  $vlt: ['semver_lt', false],
  $vgte: ['semver_lt', true],
  $vlte: ['semver_gt', true],
};

/**
 * A condition in GrowthBook's form of a MongoDB query.
 *
 * @param groups the saved groups, by id
 * @throws NoEqual
 */
export function conditionOf(condition: unknown, groups: Groups): Expression {
  if (condition === undefined || condition === null) return always;
  if (!isFields(condition)) throw new NoEqual('its condition is not an object');
  const parts = (list: unknown) => listOf(list).map((part) => conditionOf(part, groups));
  return {
    kind: 'all',
    of: Object.entries(condition).map(([name, test]): Expression => {
      switch (name) {
        case '$and':
          return { kind: 'all', of: parts(test) };
        case '$or':
          return orOf(parts(test));
        case '$nor':
          return { kind: 'not', of: orOf(parts(test)) };
        case '$not':
          return { kind: 'not', of: conditionOf(test, groups) };
        case '$savedGroups':
          return { kind: 'all', of: listOf(test).map((id) => groupOf('targetingKey', id, groups)) };
        default:
          if (name.startsWith('$')) throw new NoEqual(`${name} is not supported here`);
          return testOf(attributeOf(name), test, groups);
      }
    }),
  };
}

/** An `$or` of nothing is true in GrowthBook. */
function orOf(of: Expression[]): Expression {
  return of.length === 0 ? always : { kind: 'any', of };
}

/** `id` is GrowthBook's usual name for the unit; `a.b` is a path, which is a JSON pointer here. */
export function attributeOf(name: string): string {
  if (name === 'id') return 'targetingKey';
  return name.includes('.') ? `/${name.split('.').join('/')}` : name;
}

function testOf(attribute: string, test: unknown, groups: Groups): Expression {
  if (test === null) return { kind: 'not', of: clause({ attribute, op: 'exists', values: [] }) };
  if (isScalar(test)) {
    groups.note(loosely);
    return clause({ attribute, op: 'eq', values: [test] });
  }
  if (!isFields(test)) throw new NoEqual(`${attribute} is compared with a list`);
  const operators = Object.entries(test);
  if (operators.length === 0 || !operators.every(([name]) => name.startsWith('$')))
    throw new NoEqual(`${attribute} is compared with an object`);
  return { kind: 'all', of: operators.map(([name, value]) => operatorOf(attribute, name, value, groups)) };
}

function operatorOf(attribute: string, name: string, value: unknown, groups: Groups): Expression {
  const exists = clause({ attribute, op: 'exists', values: [] });
  switch (name) {
    case '$in':
    case '$nin':
      return oneOf(attribute, scalarsOf(attribute, value), name === '$nin');
    case '$exists':
      return value === true ? exists : { kind: 'not', of: exists };
    case '$not':
      return { kind: 'not', of: testOf(attribute, value, groups) };
    case '$all':
      return {
        kind: 'all',
        of: scalarsOf(attribute, value).map((each) => clause({ attribute, op: 'in', values: [each] })),
      };
    case '$elemMatch':
      return elementOf(attribute, value, groups);
    case '$inGroup':
      return groupOf(attribute, value, groups);
    case '$notInGroup':
      return { kind: 'not', of: groupOf(attribute, value, groups) };
    default: {
      const comparison = COMPARISONS[name];
      if (comparison === undefined) throw new NoEqual(`${name} is not supported here`);
      if (value === null && (name === '$eq' || name === '$ne'))
        return name === '$ne' ? exists : { kind: 'not', of: exists };
      if (!isScalar(value)) throw new NoEqual(`${attribute} is compared with a list or an object`);
      groups.note(loosely);
      return comparisonOf(attribute, comparison, value);
    }
  }
}

const loosely =
  'GrowthBook converts types ("7" is more than 5, a missing number is 0): here types are never converted, and a list matches when one of its elements does';

function comparisonOf(attribute: string, [op, negate]: Comparison, value: string | number | boolean): Expression {
  switch (op) {
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return orderWithMissing(attribute, op, value);
    case 'semver_eq':
    case 'semver_lt':
    case 'semver_gt': {
      const compared = versionClause(attribute, op, value, negate);
      // A missing version is 0: different from any version, and below it.
      const holds = op === 'semver_eq' ? negate : (op === 'semver_lt') !== negate;
      return holds
        ? { kind: 'any', of: [compared, clause({ attribute, op: 'exists', values: [], negate: true })] }
        : compared;
    }
    default:
      return clause({ attribute, op, values: [value], negate });
  }
}

/** Clauses match any element of a list anyway; several conditions would have to match the same element. */
function elementOf(attribute: string, test: unknown, groups: Groups): Expression {
  if (!isFields(test) || Object.keys(test).length !== 1) throw new NoEqual('$elemMatch with several conditions');
  const [name = ''] = Object.keys(test);
  if (name === '$ne' || name === '$nin' || name === '$not') throw new NoEqual(`$elemMatch with ${name}`);
  return testOf(attribute, test, groups);
}

function scalarsOf(attribute: string, value: unknown): (string | number | boolean)[] {
  const values = listOf(value);
  const scalars = values.filter(isScalar);
  if (scalars.length < values.length) throw new NoEqual(`${attribute} is compared with null, lists or objects`);
  return scalars;
}

/** A segment lists targeting keys; a group over another attribute becomes part of the clause. */
function groupOf(attribute: string, id: unknown, groups: Groups): Expression {
  const group = groups.of(String(id));
  if (group === undefined) throw new NoEqual(`the saved group ${String(id)} is not in the file`);
  if (attribute === 'targetingKey') return clause({ op: 'in_segment', values: [group.key] });
  return oneOf(attribute, group.included);
}

/**
 * Saved groups as segments: lists of values, which are targeting keys if the rules that use them compare the id.
 */
export function savedGroupsOf(groups: Fields, keys: Keys, report: Report): { id: string; document: SegmentDocument }[] {
  return Object.entries(groups).flatMap(([id, members]) => {
    const where = `segment ${id}`;
    if (!Array.isArray(members)) {
      report.lost(where, 'its members are not in the file; it is not imported');
      return [];
    }
    const included = members.filter(isScalar).map(String);
    const key = keys.of(keyOf(id, false));
    return [{ id, document: { key, name: id, description: '', included, excluded: [], rules: [] } }];
  });
}
