import { MAX_LISTED_VALUES, TOTAL_WEIGHT } from '@fanion/flag-engine';
import { type Fields, fieldsListOf, numberOf, textOf, textsOf } from '../../files/fields.ts';
import { NoEqual } from '../../files/report.ts';
import type { ClauseDocument, SegmentDocument } from '../document.ts';
import { clausesOf, isMalformed, type Kinds, placeOf, unitOf } from './launchdarkly-clauses.ts';
import type { Keys } from './naming.ts';

/** Whether its members are in a store of their own, not in the file: a big segment, or one synced from another product. */
export function isElsewhere(segment: Fields): boolean {
  return segment.unbounded === true || segment.external !== undefined;
}

/** A segment of LaunchDarkly; undefined when its members are not in the file. */
export function convertSegment(segment: Fields, segments: Keys, kinds: Kinds): SegmentDocument | undefined {
  const { report } = kinds;
  const name = textOf(segment.key) ?? '';
  const where = `segment ${name}`;
  if (isElsewhere(segment)) {
    report.lost(where, 'it is a big or synced segment, whose members are not in the file; it is not imported');
    return undefined;
  }
  const { lists, first, notExcluded } = membersOf(segment, kinds, where);
  const rules = fieldsListOf(segment.rules).flatMap((rule, i) => {
    const at = `${where}, rule ${i + 1}`;
    return (
      report.attempt(at, 'the rule is not imported', () => {
        if (fieldsListOf(rule.clauses).some(isMalformed))
          throw new NoEqual('a clause names no attribute that LaunchDarkly can read');
        const clauses = clausesOf(rule, segments, kinds);
        const share = segmentShare(segment, rule, kinds, at);
        // Without clauses it includes everybody; here a rule needs something that it tests.
        const shares = clauses.length === 0 ? [share ?? everybody] : share && [share];
        return { clauses: [...clauses, ...notExcluded], ...(shares && { shares }) };
      }) ?? []
    );
  });
  return {
    key: segments.of(name),
    name: textOf(segment.name) ?? name,
    description: textOf(segment.description) ?? '',
    ...lists,
    rules: [...first, ...rules],
  };
}

/**
 * Who is listed. The lists of a segment are of targeting keys. Where contexts may be of other kinds than users, rules
 * compare the keys of each kind instead: first those of who is included, then all others without who is excluded.
 */
function membersOf(segment: Fields, kinds: Kinds, where: string) {
  const included = textsOf(segment.included);
  const excluded = textsOf(segment.excluded);
  if (!kinds.several) return { lists: { included, excluded }, first: [], notExcluded: [] };
  const first = keysOfKinds(included, segment.includedContexts, 'in', kinds).map((clause) => ({ clauses: [clause] }));
  const notExcluded = keysOfKinds(excluded, segment.excludedContexts, 'not_in', kinds);
  const clauses = [...first.flatMap((rule) => rule.clauses), ...notExcluded];
  if (clauses.every(({ values }) => values.length <= MAX_LISTED_VALUES))
    return { lists: { included: [], excluded: [] }, first, notExcluded };
  kinds.report.lost(
    where,
    `it lists more than ${MAX_LISTED_VALUES} keys: only contexts whose targeting key is the user are compared with them, and its keys of other kinds are not imported`,
  );
  return { lists: { included, excluded }, first: [], notExcluded: [] };
}

function keysOfKinds(ofUsers: string[], lists: unknown, op: 'in' | 'not_in', kinds: Kinds): ClauseDocument[] {
  const all = [{ contextKind: 'user', values: ofUsers }, ...fieldsListOf(lists)];
  return all.flatMap(({ contextKind, values }) => {
    const keys = textsOf(values);
    if (keys.length === 0) return [];
    return [{ ...placeOf('key', textOf(contextKind), kinds), op, values: keys, negate: false }];
  });
}

/** Matches every context. */
export const everybody = { seed: 'everybody', ranges: [[0, TOTAL_WEIGHT] as [number, number]], missing: 'in' as const };

/** The percentage of units that a rule of a segment includes. */
function segmentShare(segment: Fields, rule: Fields, kinds: Kinds, at: string) {
  const weight = numberOf(rule.weight);
  if (weight === undefined) return undefined;
  const salt = textOf(segment.salt);
  if (salt === undefined) kinds.report.changed(at, 'the file has no salt, so units may get another bucket');
  return {
    ...unitOf(textOf(rule.bucketBy), textOf(rule.rolloutContextKind), kinds),
    seed: `${textOf(segment.key) ?? ''}.${salt ?? ''}`,
    ranges: [[0, weight] as [number, number]],
    missing: 'in' as const,
  };
}
