import type { ExperimentDefinition } from '@fanion/contract';
import { type Issue, type Rollout, TOTAL_WEIGHT, type Weight } from '@fanion/flag-engine';

/** What is wrong with a definition, for a flag with these variants. */
export function checkDefinition(definition: ExperimentDefinition, flagVariants: readonly string[]): Issue[] {
  const { variants, control, traffic, metrics } = definition;
  const issues: Issue[] = [];
  const names = variants.map(({ variant }) => variant);
  for (const [i, { variant, weight }] of variants.entries()) {
    const path = `variants.${i}`;
    if (!flagVariants.includes(variant)) issues.push({ path, message: `the flag has no variant "${variant}"` });
    if (names.indexOf(variant) !== i) issues.push({ path, message: `names the variant "${variant}" again` });
    if (weight === 0)
      issues.push({ path: `${path}.weight`, message: 'must be above 0: leave the variant out instead' });
  }
  if (!names.includes(control))
    issues.push({ path: 'control', message: `"${control}" must be one of the variants of the experiment` });
  const sum = variants.reduce((total, { weight }) => total + weight, 0);
  if (sum !== TOTAL_WEIGHT)
    issues.push({ path: 'variants', message: `the weights sum to ${sum}; they must sum to ${TOTAL_WEIGHT}` });
  if (traffic.start + traffic.share > TOTAL_WEIGHT)
    issues.push({
      path: 'traffic',
      message: `start and share end at ${traffic.start + traffic.share}, beyond ${TOTAL_WEIGHT}`,
    });
  const refs = [...metrics.goals, ...metrics.secondary, ...metrics.guardrails];
  for (const ref of new Set(refs.filter((one, i) => refs.indexOf(one) !== i)))
    issues.push({ path: 'metrics', message: `names the metric "${ref}" more than once` });
  return issues;
}

/**
 * The split that an experiment serves: its slice of the line for the variants, tracked; the rest gets the control, untracked. The
 * line is that of the seed, so that experiments of one layer divide the same line.
 */
export function rolloutOf(definition: ExperimentDefinition, seed: string): Rollout {
  const { variants, control, bucket_by: bucketBy, traffic } = definition;
  const outside = (weight: number): Weight[] => (weight > 0 ? [{ variant: control, weight, untracked: true }] : []);
  return {
    seed,
    ...(bucketBy !== null && { bucket_by: bucketBy }),
    tracked: true,
    weights: [
      ...outside(traffic.start),
      ...partsOf(variants, traffic.share),
      ...outside(TOTAL_WEIGHT - traffic.start - traffic.share),
    ],
  };
}

/** Parts of a share by weight. Their ends are rounded, so that they fill it exactly. */
function partsOf(variants: ExperimentDefinition['variants'], share: number): Weight[] {
  let weights = 0;
  let end = 0;
  return variants.map(({ variant, weight }) => {
    const begin = end;
    weights += weight;
    end = Math.round((weights * share) / TOTAL_WEIGHT);
    return { variant, weight: end - begin };
  });
}

/** The seed of an experiment. A new one each time: with the old one, units would carry over what an earlier experiment did to them. */
export function seedOf(
  { traffic }: ExperimentDefinition,
  { id, salt }: { readonly id: string; readonly salt: number },
): string {
  return traffic.layer === null ? `experiment-${id}${salt === 0 ? '' : `-${salt}`}` : `layer-${traffic.layer}`;
}

/** Whether two experiments of a layer would meet in a unit. */
export function overlaps(one: ExperimentDefinition, other: ExperimentDefinition): boolean {
  if (one.traffic.layer === null || one.traffic.layer !== other.traffic.layer) return false;
  const end = ({ traffic }: ExperimentDefinition) => traffic.start + traffic.share;
  return one.traffic.start < end(other) && other.traffic.start < end(one);
}
