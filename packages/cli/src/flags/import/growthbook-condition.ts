import { type Fields, fieldsOf, isFields, isScalar, listOf, textOf } from '../../files/fields.ts';
import { NoEqual, type Report } from '../../files/report.ts';
import type { ClauseDocument, SegmentDocument } from '../document.ts';
import { always, clause, type Expression, missing, never, oneOf, orderWithMissing } from './expression.ts';
import { type Keys, keyOf } from './naming.ts';

/** Saved groups by id, and where to report slight differences. */
export interface Groups {
  readonly of: (id: string) => SavedGroup | undefined;
  readonly note: (what: string) => void;
  /** Whether the file has all groups, as the payload of SDKs does: an unknown one is empty then. */
  readonly areComplete: boolean;
  /** The groups whose conditions are being read, so that a group within itself is found. */
  readonly within?: readonly string[];
}

/** A list of values of an attribute, or a condition. */
export type SavedGroup =
  | {
      readonly kind: 'list';
      readonly values: readonly (string | number | boolean)[];
      readonly attribute: string | undefined;
      /** The segment with these values as targeting keys. */
      readonly document: SegmentDocument;
    }
  | { readonly kind: 'condition'; readonly condition: unknown };

/** GrowthBook's operators that have the same meaning here. */
const COMPARISONS: Readonly<Record<string, ClauseDocument['op']>> = {
  $eq: 'eq',
  $ne: 'neq',
  $gt: 'gt',
  $gte: 'gte',
  $lt: 'lt',
  $lte: 'lte',
};
const VERSIONS: Readonly<Record<string, ClauseDocument['op']>> = {
  $veq: 'semver_eq',
  $vgt: 'semver_gt',
  $vgte: 'semver_gte',
  $vlt: 'semver_lt',
  $vlte: 'semver_lte',
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
        case '$savedGroup':
          return referenceOf(test, groups);
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
  if (isScalar(test)) return plainEquality(attribute, test, groups);
  if (!isFields(test)) throw new NoEqual(`${attribute} is compared with a list`);
  const operators = Object.entries(test);
  if (operators.length === 0 || !operators.every(([name]) => name.startsWith('$')))
    throw new NoEqual(`${attribute} is compared with an object`);
  return { kind: 'all', of: operators.map(([name, value]) => operatorOf(attribute, name, value, groups)) };
}

/** `{a: 5}`: the value as a number or as a text is 5. A missing number is 0. */
function plainEquality(attribute: string, value: string | number | boolean, groups: Groups): Expression {
  groups.note(loosely);
  if (typeof value === 'boolean') return clause({ attribute, op: 'eq', values: [value] });
  const equal = clause({ attribute, op: 'eq', values: [value], as: typeof value === 'number' ? 'number' : 'text' });
  return value === 0 ? { kind: 'any', of: [equal, missing(attribute)] } : equal;
}

function operatorOf(attribute: string, name: string, value: unknown, groups: Groups): Expression {
  const exists = clause({ attribute, op: 'exists', values: [] });
  if (ofLists.has(name) && !Array.isArray(value)) return never;
  if (isUnknownGroup(name, value, groups)) return name === '$inGroup' ? never : always;
  switch (name) {
    case '$in':
    case '$nin':
      return oneOf(attribute, scalarsOf(attribute, value), { none: name === '$nin' });
    case '$ini':
    case '$nini':
      return oneOf(attribute, scalarsOf(attribute, value), { none: name === '$nini', ignore_case: true });
    case '$exists':
      return value === true ? exists : { kind: 'not', of: exists };
    case '$not':
      return { kind: 'not', of: testOf(attribute, value, groups) };
    case '$all':
    case '$alli':
      return allOf(attribute, scalarsOf(attribute, value), name === '$alli');
    case '$size':
      return sizeOf(attribute, value);
    case '$elemMatch':
      return elementOf(attribute, value, groups);
    case '$inGroup':
      return groupOf(attribute, value, groups);
    case '$notInGroup':
      return { kind: 'not', of: groupOf(attribute, value, groups) };
    case '$regex':
    case '$regexi':
      if (!isScalar(value)) throw new NoEqual(`${attribute} is compared with a list or an object`);
      return clause({ attribute, op: 'matches', values: [value], ...(name === '$regexi' && { ignore_case: true }) });
    default:
      return compared(attribute, name, value, groups);
  }
}

/** With anything but a list they are false in GrowthBook, also those that negate. */
const ofLists = new Set(['$in', '$nin', '$ini', '$nini', '$all', '$alli']);

/** Nobody is in it. */
function isUnknownGroup(name: string, value: unknown, groups: Groups): boolean {
  const isGroup = name === '$inGroup' || name === '$notInGroup';
  return isGroup && groups.areComplete && groups.of(String(value)) === undefined;
}

const loosely =
  'GrowthBook converts types (an empty text is 0, "yes" equals true): here only texts that are numbers are converted, and a list matches when one of its elements does';

function compared(attribute: string, name: string, value: unknown, groups: Groups): Expression {
  const version = name === '$vne' ? 'semver_eq' : VERSIONS[name];
  const op = COMPARISONS[name];
  if (version === undefined && op === undefined) throw new NoEqual(`${name} is not supported here`);
  if (value === null && (name === '$eq' || name === '$ne')) {
    const exists = clause({ attribute, op: 'exists', values: [] });
    return name === '$ne' ? exists : { kind: 'not', of: exists };
  }
  if (!isScalar(value)) throw new NoEqual(`${attribute} is compared with a list or an object`);
  groups.note(loosely);
  if (version !== undefined) return versionOf(attribute, version, String(value), name);
  if (op === 'lt' || op === 'lte' || op === 'gt' || op === 'gte') return orderWithMissing(attribute, op, value);
  return clause({ attribute, op: op ?? 'eq', values: [value] });
}

/** A missing version is 0: different from any version, and below it. */
function versionOf(attribute: string, op: ClauseDocument['op'], value: string, name: string): Expression {
  const clauseOf = clause({ attribute, op, values: [value], as: 'version', negate: name === '$vne' });
  const holds = name === '$vne' || name === '$vlt' || name === '$vlte';
  return holds ? { kind: 'any', of: [clauseOf, missing(attribute)] } : clauseOf;
}

/** A list that contains every value; anything but a list contains none. */
function allOf(attribute: string, values: readonly (string | number | boolean)[], ignoresCase: boolean): Expression {
  const contains = values.map((value) =>
    clause({ attribute, op: 'in', values: [value], ...(ignoresCase && { ignore_case: true }) }),
  );
  return { kind: 'all', of: [isList(attribute), ...contains] };
}

function isList(attribute: string): Expression {
  return clause({ attribute, op: 'gte', values: [0], as: 'size' });
}

/** A number, or comparisons of the number of elements. */
function sizeOf(attribute: string, test: unknown): Expression {
  const comparisons = isFields(test) ? Object.entries(test) : [['$eq', test] as const];
  return {
    kind: 'all',
    of: comparisons.map(([name, value]) => {
      const op = COMPARISONS[name];
      if (op === undefined || typeof value !== 'number') throw new NoEqual('$size compares with something unusual');
      // `neq` would also match what is not a list.
      const negate = op === 'neq';
      return clause({ attribute, op: negate ? 'eq' : op, values: [value], negate, as: 'size' });
    }),
  };
}

/** Clauses match any element of a list; several conditions would have to match the same element. */
function elementOf(attribute: string, test: unknown, groups: Groups): Expression {
  if (!isFields(test) || Object.keys(test).length !== 1) throw new NoEqual('$elemMatch with several conditions');
  const [name = ''] = Object.keys(test);
  if (['$ne', '$nin', '$nini', '$not', '$notInGroup', '$vne'].includes(name))
    throw new NoEqual(`$elemMatch with ${name}`);
  return { kind: 'all', of: [isList(attribute), testOf(attribute, test, groups)] };
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
  if (group.kind === 'condition') throw new NoEqual(`the saved group ${String(id)} is a condition, not a list`);
  if (attribute === 'targetingKey') return clause({ op: 'in_segment', values: [group.document.key] });
  return oneOf(attribute, [...group.values]);
}

/** `{$savedGroup: {id, attributeKey}}`: a list over its own attribute unless another is named, or a condition. */
function referenceOf(reference: unknown, groups: Groups): Expression {
  const { id, attributeKey } = fieldsOf(reference);
  const name = String(id);
  const group = groups.of(name);
  if (group === undefined) throw new NoEqual(`the saved group ${name} is not in the file`);
  if (group.kind === 'list') {
    const attribute = textOf(attributeKey) ?? group.attribute;
    if (attribute === undefined) throw new NoEqual(`the saved group ${name} does not name an attribute`);
    return groupOf(attributeOf(attribute), name, groups);
  }
  const within = groups.within ?? [];
  if (within.includes(name)) throw new NoEqual(`the saved group ${name} refers to itself`);
  return conditionOf(group.condition, { ...groups, within: [...within, name] });
}

/**
 * Saved groups: lists of values become segments, whose targeting keys they are if the rules that use them compare the
 * id; conditions become part of the rules that refer to them.
 */
export function savedGroupsOf(groups: Fields, keys: Keys, report: Report): ReadonlyMap<string, SavedGroup> {
  const byId = new Map<string, SavedGroup>();
  for (const [id, group] of Object.entries(groups)) {
    const { type, values, attributeKey, condition } = fieldsOf(group);
    const members = Array.isArray(group) ? group : type === 'list' && Array.isArray(values) ? values : undefined;
    if (members !== undefined) {
      const scalars = members.filter(isScalar);
      if (scalars.some((value) => typeof value !== 'string'))
        report.changed(
          `segment ${id}`,
          'GrowthBook distinguishes the number 3 from the text "3" in a list of values; here each includes both',
        );
      const included = scalars.map(String);
      const document = { key: keys.of(keyOf(id, false)), name: id, description: '', included, excluded: [], rules: [] };
      byId.set(id, { kind: 'list', values: scalars, attribute: textOf(attributeKey), document });
    } else if (type === 'condition' && isFields(condition)) byId.set(id, { kind: 'condition', condition });
    else report.lost(`segment ${id}`, 'its members are not in the file; it is not imported');
  }
  return byId;
}
