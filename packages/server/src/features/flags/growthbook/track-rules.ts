import {
  type CompiledRuleset,
  type EvaluationContext,
  type JsonValue,
  resolve,
  TARGETING_KEY,
} from '@fanion/flag-engine';
import { type Answered, variantWith } from '../exposures/index.ts';
import { contextOfAttributes, idAttribute } from './remote-rules.ts';

/** An evaluation that an SDK reports. */
export interface Reported {
  readonly context: EvaluationContext;
  readonly answered: Answered;
}

type Fields = Readonly<Record<string, unknown>>;

/** Names of events, as the plugin of the SDK sends them. */
const evaluatedEvent = 'Feature Evaluated';
const viewedEvent = 'Experiment Viewed';

/** Of these sources is a value that this server has served. */
const ownSources = new Set(['defaultValue', 'force', 'experiment']);

/**
 * The evaluations in a batch of events. The SDK reports a measured value twice, as an experiment and as a feature: the experiment,
 * which names the unit, counts. Events of other names, and of unknown flags and values, are left out.
 * Each is evaluated when it is taken.
 */
export function* reportedIn(events: readonly unknown[], ruleset: CompiledRuleset): Generator<Reported> {
  const all = events.filter(isFields);
  const viewed = all.filter(({ event_name }) => event_name === viewedEvent);
  const nameOf = (flag: unknown, event: Fields) => JSON.stringify([flag, event.user_id, event.device_id]);
  const counted = new Set(viewed.map((event) => nameOf(propertiesOf(event).experimentId, event)));
  const evaluated = all.filter(
    (event) => event.event_name === evaluatedEvent && !counted.has(nameOf(propertiesOf(event).feature, event)),
  );
  for (const event of viewed) {
    const reported = experimentIn(event, ruleset);
    if (reported !== undefined) yield reported;
  }
  for (const event of evaluated) {
    const reported = featureIn(event, ruleset);
    if (reported !== undefined) yield reported;
  }
}

/** Number of events of other names: metrics of units are measured from telemetry. */
export function ignoredIn(events: readonly unknown[]): number {
  const own: readonly unknown[] = [evaluatedEvent, viewedEvent];
  return events.filter(isFields).filter(({ event_name }) => !own.includes(event_name)).length;
}

function experimentIn(event: Fields, ruleset: CompiledRuleset): Reported | undefined {
  const { experimentId, variationId, hashAttribute, hashValue } = propertiesOf(event);
  if (typeof experimentId !== 'string' || typeof hashAttribute !== 'string') return undefined;
  const context = contextOfAttributes({ ...attributesOf(event), [hashAttribute]: hashValue });
  const variant = ruleset.flags.get(experimentId)?.source.variants.find(({ key }) => key === variationId);
  return variant && { context, answered: answeredOf(experimentId, variant, true, context, ruleset) };
}

function featureIn(event: Fields, ruleset: CompiledRuleset): Reported | undefined {
  const { feature, value = null, source = 'defaultValue' } = propertiesOf(event);
  if (typeof feature !== 'string' || !ownSources.has(String(source))) return undefined;
  const context = contextOfAttributes(attributesOf(event));
  const flag = ruleset.flags.get(feature)?.source;
  const defaulted = value === null ? { key: null, value: null } : undefined;
  const variant = flag && (variantWith(flag, value) ?? defaulted);
  return variant && { context, answered: answeredOf(feature, variant, source === 'experiment', context, ruleset) };
}

/**
 * What the engine answers to the context, if that is the reported variant, so that reason and unit are known. The flag may have changed
 * meanwhile, and SDKs do not report every attribute: then it is the reported variant.
 */
function answeredOf(
  key: string,
  { key: variant, value }: { readonly key: string | null; readonly value: JsonValue },
  tracked: boolean,
  context: EvaluationContext,
  ruleset: CompiledRuleset,
): Answered {
  const { evaluation, bucketed } = resolve(ruleset, key, context);
  if (evaluation.variant === variant && (!tracked || evaluation.tracked === true)) return { evaluation, bucketed };
  const { flag_version } = evaluation;
  const reason = tracked ? 'TRACKED_ROLLOUT' : 'FALLTHROUGH';
  return {
    evaluation: { key, value, variant, reason, flag_version, ...(tracked && { tracked }) },
    bucketed: tracked && context[TARGETING_KEY] !== undefined,
  };
}

/** The SDK moves these attributes to the top of the event, and `id` to `device_id`. */
function attributesOf(event: Fields): Fields {
  const { context_json, user_id, device_id, session_id, page_id } = event;
  const moved = { user_id, device_id, session_id, page_id, [idAttribute]: device_id };
  const given = Object.entries(moved).filter(([, value]) => value !== undefined && value !== null);
  return { ...Object.fromEntries(given), ...(isFields(context_json) ? context_json : {}) };
}

function propertiesOf({ properties_json }: Fields): Fields {
  return isFields(properties_json) ? properties_json : {};
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
