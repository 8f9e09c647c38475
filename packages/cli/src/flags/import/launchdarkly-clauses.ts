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

/** Where an attribute is in the evaluation context. */
export interface Place {
  readonly attribute: string;
  readonly context_kind?: string;
}

/** The kinds of contexts that an import uses. */
export interface Kinds {
  /**
   * Whether there are others than users. Then a context may lack a user, so what concerns users names their kind.
   */
  readonly several: boolean;
  readonly report: Report;
  /** Names of all segments, if the file has them all, as the data of SDKs does: nobody is in another one. */
  readonly segments?: ReadonlySet<string> | undefined;
}

/** The kinds that the files of an import name: flags may name some that the file of their segments does not. */
export function kindsOf(contents: readonly unknown[], report: Report): Kinds {
  const named = /"(?:contextKind|rolloutContextKind)":"(?!user")[^"]|"attribute":"kind"/;
  return { several: contents.some((content) => named.test(JSON.stringify(content) ?? '')), report };
}

/**
 * The clauses of a rule of a flag or segment.
 *
 * @throws NoEqual
 */
export function clausesOf(rule: Fields, segments: Keys, kinds: Kinds): ClauseDocument[] {
  return fieldsListOf(rule.clauses).flatMap((clause): ClauseDocument[] => {
    const op = textOf(clause.op) ?? '';
    const negate = clause.negate === true;
    if (op === 'segmentMatch') {
      const values = textsOf(clause.values).filter((key) => kinds.segments?.has(key) ?? true);
      if (values.length > 0) return [{ op: 'in_segment', values: values.map((key) => segments.of(key)), negate }];
      return negate ? [] : never;
    }
    const ours = OPERATORS[op];
    if (ours === undefined) throw new NoEqual(`the operator ${op} is not supported here`);
    // Null, lists and objects equal nothing there.
    const values = listOf(clause.values).filter(isScalar);
    const kind = textOf(clause.contextKind);
    const name = textOf(clause.attribute) ?? '';
    if (values.length === 0) {
      if (name === 'kind') throw new NoEqual('it compares the kind of the context in an unknown way');
      // No value matches, so its negation matches wherever the attribute is.
      return negate ? [{ ...placeOf(name, kind, kinds), op: 'exists', values: [], negate: false }] : never;
    }
    if (name === 'kind') return kindClauses(ours, textsOf(values), negate, kinds);
    if (name === 'anonymous' && ours === 'in') return anonymous(values, negate, kind, kinds);
    return [{ ...placeOf(name, kind, kinds), op: ours, values, negate }];
  });
}

/**
 * Whether LaunchDarkly cannot read the attribute that a clause names. A flag whose evaluation arrives there serves the default in the
 * code.
 */
export function isMalformed({ op, attribute, contextKind }: Fields): boolean {
  if (op === 'segmentMatch') return false;
  const name = textOf(attribute) ?? '';
  if (name === '' || (name === '/' && contextKind !== undefined)) return true;
  return contextKind !== undefined && name.startsWith('/') && !/^(\/([^/~]|~[01])+)+$/.test(name);
}

/** Matches no context. */
const never: ClauseDocument[] = [false, true].map((negate) => ({
  attribute: 'targetingKey',
  op: 'exists',
  values: [],
  negate,
}));

/** Whether the context has one of some kinds. */
function kindClauses(op: string, named: readonly string[], negate: boolean, kinds: Kinds): ClauseDocument[] {
  if (op !== 'in' || (named.length > 1 && !negate))
    throw new NoEqual('it compares the kind of the context with several kinds or in another way than "in"');
  return named.map((kind) => presence(kind, negate, kinds));
}

function presence(kind: string, negate: boolean, { report }: Kinds): ClauseDocument {
  const place = placeOf('key', kind, { several: true, report });
  return { ...place, op: 'exists', values: [], negate };
}

/** A context without `anonymous` is not anonymous. */
function anonymous(
  values: readonly (string | number | boolean)[],
  negate: boolean,
  kind: string | undefined,
  kinds: Kinds,
): ClauseDocument[] {
  const place = placeOf('anonymous', kind, kinds);
  const wanted = [true, false].filter((value) => values.includes(value) !== negate);
  // A context of the kind must be present.
  const present = place.context_kind === undefined ? [] : [presence(place.context_kind, false, kinds)];
  if (wanted.length === 2) return present;
  // Every context is one or the other.
  if (wanted.length === 0)
    return [true, false].map((negated): ClauseDocument => ({ ...place, op: 'exists', values: [], negate: negated }));
  return [...present, { ...place, op: wanted[0] === true ? 'in' : 'not_in', values: [true], negate: false }];
}

/** With a kind, LaunchDarkly reads `/a/b` as a path; without one, as a name. */
export function placeOf(name: string, kind: string | undefined, { several, report }: Kinds): Place {
  const isPath = name.startsWith('/') && kind !== undefined;
  const attribute = name === 'key' ? 'targetingKey' : name.startsWith('/') && !isPath ? `/${escaped(name)}` : name;
  if (isPath && /\/\d+(\/|$)/.test(name))
    report.changed(
      'all clauses',
      `LaunchDarkly finds nothing at ${name} if it is a position in a list; here it is an element`,
    );
  if (kind === undefined || kind === 'user') return { attribute, ...(several && { context_kind: 'user' }) };
  report.changed(
    'all flags',
    `contexts of the kind ${kind} are objects named "${kind}" in the evaluation context, or contexts in the form of LaunchDarkly's SDKs`,
  );
  return { attribute, context_kind: kind };
}

/** The unit of a rollout or a share. */
export function unitOf(name: string | undefined, kind: string | undefined, kinds: Kinds) {
  const { attribute, ...rest } = placeOf(name ?? 'key', kind, kinds);
  return { ...(attribute !== 'targetingKey' && { bucket_by: attribute }), ...rest };
}

/** Escapes a name as one step of a JSON pointer. */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
