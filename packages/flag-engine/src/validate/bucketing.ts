import { HASH_NAMES, vendorHash } from '../hash/index.ts';
import { TOTAL_WEIGHT } from '../ruleset.ts';
import { checkAttribute, checkKind } from './clauses.ts';
import type { BucketingDraft } from './draft.ts';
import type { Issues } from './issue.ts';
import { MAX_FALLBACK_ATTRIBUTES, MAX_TEXT_LENGTH } from './limits.ts';

type Path = readonly (string | number)[];

/** How a rollout or a share identifies and hashes units. */
export function checkBucketing(issues: Issues, path: Path, bucketing: BucketingDraft): void {
  const { bucket_by, fallback_bucket_by = [], hash = 'fanion', seed, buckets } = bucketing;
  if (bucket_by !== undefined) checkAttribute(issues, [...path, 'bucket_by'], bucket_by);
  checkKind(issues, path, bucketing);
  const fallbacks = [...path, 'fallback_bucket_by'];
  if (!issues.tooMany(fallbacks, fallback_bucket_by.length, MAX_FALLBACK_ATTRIBUTES)) {
    for (const [i, attribute] of fallback_bucket_by.entries()) checkAttribute(issues, [...fallbacks, i], attribute);
  }
  const vendor = vendorHash(hash);
  if (vendor === undefined && hash !== 'fanion') {
    issues.add([...path, 'hash'], `unknown hash "${hash}": use one of ${HASH_NAMES.join(', ')}`);
  }
  // Products that hash the unit alone have an empty seed.
  if (seed !== undefined && vendor === undefined) issues.text([...path, 'seed'], seed);
  else if (seed !== undefined && seed.length > MAX_TEXT_LENGTH) {
    issues.add([...path, 'seed'], `has more than ${MAX_TEXT_LENGTH} characters`);
  }
  if (buckets === undefined) return;
  const at = [...path, 'buckets'];
  if (vendor?.adjustable !== true) issues.add(at, `must be left out: the number of buckets of "${hash}" is fixed`);
  else if (!Number.isInteger(buckets) || buckets < 1 || buckets > TOTAL_WEIGHT) {
    issues.add(at, `must be a whole number from 1 to ${TOTAL_WEIGHT}`);
  }
}

/** The number of steps that shares of the line can end on. */
export function stepsOf({ hash = 'fanion', buckets }: BucketingDraft): number {
  const vendor = vendorHash(hash);
  if (vendor === undefined) return TOTAL_WEIGHT;
  const steps = vendor.adjustable ? (buckets ?? vendor.buckets) : vendor.buckets;
  return Number.isInteger(steps) && steps > 0 ? steps : TOTAL_WEIGHT;
}

/** An end between two steps would be rounded, so that the served percentage would differ from the written one. */
export function checkEnd(issues: Issues, path: Path, end: number, steps: number): void {
  const nearest = (Math.round((end * steps) / TOTAL_WEIGHT) * TOTAL_WEIGHT) / steps;
  // A third of the line is written 33333.
  if (Math.abs(end - nearest) <= 1) return;
  const step = Number((100 / steps).toPrecision(6));
  issues.add(path, `ends between two buckets: the hash has ${steps}, so percentages come in steps of ${step}%`);
}
