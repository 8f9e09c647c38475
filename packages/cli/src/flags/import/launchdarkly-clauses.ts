import type { ClauseDocument } from '../document.ts';
import { NoEqual, type Report } from './conversion.ts';
import type { Keys } from './naming.ts';
import { type Fields, fieldsListOf, isScalar, listOf, textOf, textsOf } from './read.ts';

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
  return fieldsListOf(rule.clauses).map((clause): ClauseDocument => {
    const op = textOf(clause.op) ?? '';
    const negate = clause.negate === true;
    if (op === 'segmentMatch') {
      return { op: 'in_segment', values: textsOf(clause.values).map((key) => segments.of(key)), negate };
    }
    const ours = OPERATORS[op];
    if (ours === undefined) throw new NoEqual(`the operator ${op} is not known here`);
    const values = listOf(clause.values).filter(isScalar);
    if (values.length < listOf(clause.values).length) throw new NoEqual('it compares with null, a list or an object');
    if (values.length === 0) throw new NoEqual('it compares with no value');
    return { attribute: attributeOf(clause, report, where), op: ours, values, negate };
  });
}

/** Attributes of the built-in `user` kind are those of the context; of another kind, they are looked for below its name. */
function attributeOf(clause: Fields, report: Report, where: string): string {
  const attribute = textOf(clause.attribute) ?? 'key';
  const kind = textOf(clause.contextKind) ?? 'user';
  if (attribute === 'kind') throw new NoEqual('it asks for the kind of the context, and there is one kind here');
  if (kind === 'user') return attribute === 'key' ? 'targetingKey' : attribute;
  return otherKind(kind, attribute, report, where);
}

/** The attribute that individual targets are listed by; undefined for the targeting key. */
export function targetAttribute(target: Fields, report: Report, where: string): string | undefined {
  const kind = textOf(target.contextKind) ?? 'user';
  return kind === 'user' ? undefined : otherKind(kind, 'key', report, where);
}

function otherKind(kind: string, attribute: string, report: Report, where: string): string {
  const pointer = attribute.startsWith('/') ? `/${kind}${attribute}` : `/${kind}/${attribute}`;
  report.changed(
    where,
    `contexts of the kind ${kind}: their attributes are read from ${pointer} of the evaluation context`,
  );
  return pointer;
}
