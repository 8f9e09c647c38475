import {
  type CompiledRuleset,
  type Evaluation,
  type EvaluationContext,
  evaluateAll,
  type JsonValue,
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

/** A flag that is evaluated already. Without a value, callers get their default. */
interface RemoteFeature {
  readonly defaultValue: JsonValue;
  readonly rules?: readonly object[];
}

/** Every flag as GrowthBook's SDKs read it from a remote evaluation. */
export function remoteFeatures(
  ruleset: CompiledRuleset,
  context: EvaluationContext,
  { features, variations }: Forced,
): Record<string, RemoteFeature> {
  const evaluated = [...evaluateAll(ruleset, context)].map(([key, evaluation]) => {
    const forced = features.get(key);
    if (forced !== undefined) return [key, { defaultValue: forced }] as const;
    const variants = ruleset.flags.get(key)?.source.variants ?? [];
    const chosen = evaluation.bucket === undefined ? undefined : variants[variations.get(key) ?? -1];
    if (chosen !== undefined) return [key, { defaultValue: chosen.value }] as const;
    return [key, featureOf(evaluation, trackOf(ruleset, evaluation, context))] as const;
  });
  return Object.fromEntries(evaluated);
}

function featureOf({ value }: Evaluation, track: object | undefined): RemoteFeature {
  // SDKs report the experiment when they use the value.
  return { defaultValue: value, ...(track !== undefined && { rules: [{ force: value, tracks: [track] }] }) };
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
