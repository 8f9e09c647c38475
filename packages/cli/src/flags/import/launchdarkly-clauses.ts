import { type Fields, fieldsListOf, isScalar, listOf, textOf, textsOf } from '../../files/fields.ts';
import { NoEqual, type Report } from '../../files/report.ts';
import type { ClauseDocument } from '../document.ts';
import type { Keys } from './naming.ts';

/** LaunchDarkly's operators that mean the same here. */
const OPERATORS: Readonly<Record<string, ClauseDocument['op']>> = {
  in: 'in',
  startsWith: 'starts_with',
  endsWith: 'ends_with',
  contains: 'contains',
  matches: 'matches',
  lessThan: 'lt',
  lessThanOrEqual: 'lte',
  greaterThan: 'gt',
  greaterThanOrEqual: 'gte',
  before: 'before',
  after: 'after',
  semVerEqual: 'semver_eq',
  semVerLessThan: 'semver_lt',
  semVerGreaterThan: 'semver_gt',
};

/**
 * The clauses of a rule of a flag or segment.
 *
 * @throws NoEqual
 */
export function clausesOf(rule: Fields, segments: Keys, report: Report, where: string): ClauseDocument[] {
  return fieldsListOf(rule.clauses).flatMap((clause): ClauseDocument[] => {
    const op = textOf(clause.op) ?? '';
    const negate = clause.negate === true;
    if (op === 'segmentMatch') {
      return [{ op: 'in_segment', values: textsOf(clause.values).map((key) => segments.of(key)), negate }];
    }
    const ours = OPERATORS[op];
    if (ours === undefined) throw new NoEqual(`the operator ${op} is not supported here`);
    const values = listOf(clause.values).filter(isScalar);
    if (values.length < listOf(clause.values).length) throw new NoEqual('it compares with null, a list or an object');
    if (values.length === 0) throw new NoEqual('it has no values to compare with');
    const kind = textOf(clause.contextKind);
    const name = textOf(clause.attribute) ?? 'key';
    if (name === 'anonymous' && ours === 'in') return anonymous(values, negate, kind, report, where);
    return [{ attribute: attributeOf(name, kind, report, where), op: ours, values, negate }];
  });
}

/** A context without `anonymous` is not anonymous. */
function anonymous(
  values: readonly (string | number | boolean)[],
  negate: boolean,
  kind: string | undefined,
  report: Report,
  where: string,
): ClauseDocument[] {
  const attribute = attributeOf('anonymous', kind, report, where);
  const wanted = [true, false].filter((value) => values.includes(value) !== negate);
  // A context of the other kind must be present.
  const present: ClauseDocument[] =
    kind === undefined || kind === 'user'
      ? []
      : [{ attribute: attributeOf('key', kind, report, where), op: 'exists', values: [], negate: false }];
  if (wanted.length === 2) return present;
  // Every context is one or the other.
  if (wanted.length === 0)
    return [true, false].map((negated): ClauseDocument => ({ attribute, op: 'exists', values: [], negate: negated }));
  return [...present, { attribute, op: wanted[0] === true ? 'in' : 'not_in', values: [true], negate: false }];
}

/**
 * Where an attribute is in the evaluation context: at the top level for the built-in `user` kind, below the name of any
 * other kind. With a kind, LaunchDarkly reads `/a/b` as a path; without one, as a name.
 *
 * @throws NoEqual
 */
export function attributeOf(name: string, kind: string | undefined, report: Report, where: string): string {
  if (name === 'kind') throw new NoEqual('it compares the kind of the context, and there is only one kind here');
  const isPath = name.startsWith('/') && kind !== undefined;
  if (kind === undefined || kind === 'user') {
    if (name === 'key') return 'targetingKey';
    return name.startsWith('/') && !isPath ? `/${escaped(name)}` : name;
  }
  const pointer = `/${escaped(kind)}${isPath ? name : `/${escaped(name)}`}`;
  report.changed(
    where,
    `contexts of the kind ${kind}: their attributes are read from ${pointer} of the evaluation context`,
  );
  return pointer;
}

/** Escapes a name as one step of a JSON pointer. */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
