import type { ExperimentDefinition } from '@fanion/contract';
import { type Issue, type Rollout, TOTAL_WEIGHT, validateTargeting, type Weight } from '@fanion/flag-engine';

/** What a project has, that a definition names. */
export interface Known {
  /** Variants of the flag. */
  readonly variants: readonly string[];
  /** Keys of segments. */
  readonly segments: ReadonlySet<string>;
}

/** What is wrong with a definition. */
export function checkDefinition(
  definition: ExperimentDefinition,
  { variants: flagVariants, segments }: Known,
): Issue[] {
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
  return [...issues, ...checkAudience(definition, segments)];
}

/** As the clauses of a rule. */
function checkAudience({ audience, control }: ExperimentDefinition, segments: ReadonlySet<string>): Issue[] {
  const serve = { variant: control };
  const found = validateTargeting(
    { variants: [{ key: control, value: null }] },
    { enabled: true, off_variant: null, fallthrough: serve, targets: [], rules: [{ clauses: audience, ...serve }] },
    { segments },
  );
  return found.map(({ path, message }) => ({ path: path.replace(/^rules\.0\.clauses/, 'audience'), message }));
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
  { layer }: ExperimentDefinition,
  { id, salt }: { readonly id: string; readonly salt: number },
): string {
  return layer === null ? `experiment-${id}${salt === 0 ? '' : `-${salt}`}` : `layer-${layer}`;
}

/** Whether two experiments of a layer would meet in a unit. */
export function overlaps(one: ExperimentDefinition, other: ExperimentDefinition): boolean {
  if (one.layer === null || one.layer !== other.layer) return false;
  const end = ({ traffic }: ExperimentDefinition) => traffic.start + traffic.share;
  return one.traffic.start < end(other) && other.traffic.start < end(one);
}
