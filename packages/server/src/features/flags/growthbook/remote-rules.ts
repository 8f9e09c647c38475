import {
  type CompiledRuleset,
  type Evaluation,
  type EvaluationContext,
  type JsonValue,
  type Outcome,
  renderedOutcomes,
  TARGETING_KEY,
} from '@fanion/flag-engine';
import { unitOfAnswer } from '../exposures/index.ts';

/** The attribute that names the unit in GrowthBook. */
export const idAttribute = 'id';

type Attributes = Readonly<Record<string, unknown>>;

/** The attributes as a context. The targeting key is the attribute `id` as text, if GrowthBook would hash it. */
export function contextOfAttributes(attributes: Attributes): EvaluationContext {
  const { [TARGETING_KEY]: _, ...context } = attributes;
  const unit = unitOfId(Object.hasOwn(attributes, idAttribute) ? attributes[idAttribute] : undefined);
  return unit === undefined ? context : { ...context, [TARGETING_KEY]: unit };
}

/** There, an empty text, zero and false identify nobody. */
function unitOfId(id: unknown): string | undefined {
  if (typeof id === 'string') return id === '' ? undefined : id;
  if (typeof id === 'number') return Number.isFinite(id) && id !== 0 ? String(id) : undefined;
  return id === true ? 'true' : undefined;
}

/** What a developer chose in the SDK, in place of what the flags say. */
export interface Forced {
  readonly features: ReadonlyMap<string, JsonValue>;
  /** The position of a variant, by flag. It applies where a percentage decides. */
  readonly variations: ReadonlyMap<string, number>;
}

/** Members of the features as JSON text. That of a unit in an experiment names the unit, so it is made for each. */
const featuresOf = renderedOutcomes((outcome) => {
  const { key, value, tracked } = outcome.evaluation;
  return { outcome, text: tracked === true ? undefined : member(key, { defaultValue: value }) };
});

/**
 * Every flag as GrowthBook's SDKs read it from a remote evaluation, as JSON text: the value is its default. Without a value, callers
 * get their own default.
 */
export function remoteFeatures(ruleset: CompiledRuleset, context: EvaluationContext, forced: Forced): string {
  const isForced = forced.features.size + forced.variations.size > 0;
  const features = featuresOf(ruleset, context).map(({ outcome, text }) =>
    text === undefined || isForced ? featureOf(ruleset, context, outcome, forced) : text,
  );
  return `{${features.join(',')}}`;
}

function member(key: string, feature: object): string {
  return `${JSON.stringify(key)}:${JSON.stringify(feature)}`;
}

function featureOf(
  ruleset: CompiledRuleset,
  context: EvaluationContext,
  { evaluation, bucketed }: Outcome,
  { features, variations }: Forced,
): string {
  const { key, value } = evaluation;
  const forced = features.get(key);
  if (forced !== undefined) return member(key, { defaultValue: forced });
  const variants = ruleset.flags.get(key)?.source.variants ?? [];
  const chosen = bucketed ? variants[variations.get(key) ?? -1] : undefined;
  if (chosen !== undefined) return member(key, { defaultValue: chosen.value });
  const track = trackOf(ruleset, evaluation, context);
  // SDKs report the experiment when they use the value.
  return member(key, {
    defaultValue: value,
    ...(track !== undefined && { rules: [{ force: value, tracks: [track] }] }),
  });
}

/** The experiment and its result, in a tracked rollout. Other variants are not revealed. */
function trackOf(ruleset: CompiledRuleset, evaluation: Evaluation, context: EvaluationContext): object | undefined {
  const { key, value, variant, tracked } = evaluation;
  if (tracked !== true) return undefined;
  const { unit, kind } = unitOfAnswer(ruleset, { evaluation, bucketed: true }, context);
  const variants = ruleset.flags.get(key)?.source.variants ?? [];
  const result = {
    featureId: key,
    inExperiment: true,
    hashUsed: true,
    variationId: variants.findIndex((one) => one.key === variant),
    key: variant,
    value,
    hashAttribute: kind === '' ? idAttribute : kind,
    hashValue: unit,
  };
  return { experiment: { key, variations: [] }, result };
}
