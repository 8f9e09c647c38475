import { type Fields, fieldsListOf, listOf, numberOf, textOf, textsOf } from '../../files/fields.ts';
import { NoEqual, type Report } from '../../files/report.ts';
import type { SegmentDocument } from '../document.ts';
import { attributeOf, clausesOf } from './launchdarkly-clauses.ts';
import type { Keys } from './naming.ts';

/** Whether its members are in a store of their own, not in the file: a big segment, or one synced from another product. */
export function isElsewhere(segment: Fields): boolean {
  return segment.unbounded === true || segment.external !== undefined;
}

/** A segment of LaunchDarkly; undefined when its members are not in the file. */
export function convertSegment(segment: Fields, segments: Keys, report: Report): SegmentDocument | undefined {
  const name = textOf(segment.key) ?? '';
  const where = `segment ${name}`;
  if (isElsewhere(segment)) {
    report.lost(where, 'it is a big or synced segment, whose members are not in the file; it is not imported');
    return undefined;
  }
  for (const list of ['includedContexts', 'excludedContexts']) {
    for (const { contextKind, values } of fieldsListOf(segment[list])) {
      if (listOf(values).length > 0)
        report.lost(where, `${list} of the kind ${String(contextKind)}: segments list targeting keys only`);
    }
  }
  const rules = fieldsListOf(segment.rules).flatMap((rule, i) => {
    const at = `${where}, rule ${i + 1}`;
    return (
      report.attempt(at, 'the rule is not imported', () => {
        const clauses = clausesOf(rule, segments, report, at);
        const share = segmentShare(segment, rule, report, at);
        if (clauses.length === 0 && share === undefined) throw new NoEqual('it has no clauses');
        return { clauses, ...(share !== undefined && { shares: [share] }) };
      }) ?? []
    );
  });
  return {
    key: segments.of(name),
    name: textOf(segment.name) ?? name,
    description: textOf(segment.description) ?? '',
    included: textsOf(segment.included),
    excluded: textsOf(segment.excluded),
    rules,
  };
}

/** The percentage of units that a rule of a segment includes. */
function segmentShare(segment: Fields, rule: Fields, report: Report, at: string) {
  const weight = numberOf(rule.weight);
  if (weight === undefined) return undefined;
  const salt = textOf(segment.salt);
  if (salt === undefined) report.changed(at, 'the file has no salt, so units may get another bucket');
  const unit = attributeOf(textOf(rule.bucketBy) ?? 'key', textOf(rule.rolloutContextKind), report, at);
  return {
    ...(unit !== 'targetingKey' && { bucket_by: unit }),
    seed: `${textOf(segment.key) ?? ''}.${salt ?? ''}`,
    ranges: [[0, weight] as [number, number]],
    missing: 'in' as const,
  };
}
