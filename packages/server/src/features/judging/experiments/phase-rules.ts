import type { ExperimentDefinition, ExperimentPhase } from '@fanion/contract';

interface Phased {
  readonly definition: Pick<ExperimentDefinition, 'variants' | 'traffic' | 'audience'>;
  readonly phases: readonly ExperimentPhase[];
  readonly started_at: Date | null;
}

/** The phases of an experiment since its start, the current one last; none before it. */
export function phasesOf({ definition, phases, started_at: started }: Phased): readonly ExperimentPhase[] {
  if (started === null || phases.length > 0) return phases;
  const { variants, traffic, audience } = definition;
  return [{ from: started.toISOString(), variants, share: traffic.share, audience, reason: 'start' }];
}

export interface NextPhase {
  readonly variants?: ExperimentDefinition['variants'] | undefined;
  readonly share?: number | undefined;
  readonly audience?: ExperimentDefinition['audience'] | undefined;
}

/** The definition in the next phase; undefined if it changes nothing. */
export function nextDefinition(
  definition: ExperimentDefinition,
  { variants, share, audience }: NextPhase,
): ExperimentDefinition | undefined {
  const weightOf = (variant: string) => variants?.find((one) => one.variant === variant)?.weight;
  const isSame =
    (share === undefined || share === definition.traffic.share) &&
    (audience === undefined || isSameAudience(audience, definition.audience)) &&
    (variants === undefined || definition.variants.every(({ variant, weight }) => weightOf(variant) === weight));
  if (isSame) return undefined;
  return {
    ...definition,
    // In the order of the start: a variant keeps its place on the line, so that as few units as possible change theirs.
    variants: definition.variants.map((one) => ({ ...one, weight: weightOf(one.variant) ?? one.weight })),
    traffic: { ...definition.traffic, share: share ?? definition.traffic.share },
    audience: audience ?? definition.audience,
  };
}

/** Whether a phase has the variants of the experiment, all of them. */
export function hasSameVariants({ variants }: Pick<ExperimentDefinition, 'variants'>, next: NextPhase): boolean {
  if (next.variants === undefined) return true;
  const names = next.variants.map(({ variant }) => variant);
  return names.length === variants.length && variants.every(({ variant }) => names.includes(variant));
}

/** What changed, for people. */
export function reasonOf(before: ExperimentDefinition, after: ExperimentDefinition): string {
  const share = before.traffic.share === after.traffic.share ? [] : [`share ${after.traffic.share / 1_000} %`];
  const weights = after.variants.map(({ variant, weight }) => `${variant} ${weight / 1_000} %`).join(', ');
  const audience = isSameAudience(before.audience, after.audience) ? [] : ['another audience'];
  return [...share, weights, ...audience].join('; ');
}

/** Units by the phase of their first exposure; undefined where there is only one. */
export function slicingOf(phases: readonly ExperimentPhase[]) {
  const bounds = phases.slice(1).map(({ from }) => Date.parse(from));
  return bounds.length === 0 ? undefined : ({ by: 'start', bounds } as const);
}

type Audience = ExperimentDefinition['audience'];

/** Whatever the order of the fields: the store sorts them. */
function isSameAudience(one: Audience, other: Audience): boolean {
  const text = (audience: Audience) =>
    JSON.stringify(
      audience.map(({ attribute, op, values, negate, context_kind: kind, ignore_case: ignoreCase, as }) => [
        attribute,
        op,
        values,
        negate,
        kind,
        ignoreCase,
        as,
      ]),
    );
  return text(one) === text(other);
}
