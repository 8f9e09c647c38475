import { compileClauses } from './clause.ts';
import type { CompiledFlag, CompiledRule, FlagPlan } from './compiled.ts';
import type { EvaluationErrorCode, Reason } from './evaluation.ts';
import { at, Malformed, reasonOf } from './failure.ts';
import { wrongMetadata } from './metadata.ts';
import { Outcome } from './outcome.ts';
import type { Flag, FlagMetadata, JsonValue } from './ruleset.ts';
import { compileServe, type OutcomeMaker } from './serve.ts';
import { compileShares, ruleTest } from './share.ts';
import { compileTargets } from './target.ts';

/**
 * Never throws: a flag that cannot be compiled returns `PARSE_ERROR`.
 *
 * @param key of the flag in the ruleset
 */
export function compileFlag(key: string, flag: Flag, flagSetId: string): CompiledFlag {
  const version = Number.isSafeInteger(flag?.version) ? flag.version : 0;
  const head = { key, version, flagSetId, source: flag };
  try {
    if (flag.key !== key) throw new Malformed(`its own key is "${flag.key}"`);
    if (flag.version !== version) throw new Malformed('its version is not a whole number');
    return { ...head, plan: compilePlan(flag, flagSetId) };
  } catch (error) {
    return { ...head, plan: { malformed: failed(head, 'PARSE_ERROR', `flag "${key}": ${reasonOf(error)}`) } };
  }
}

/** The answer of a flag that could not be evaluated. */
export function failed(
  flag: { readonly key: string; readonly version: number; readonly flagSetId: string },
  code: EvaluationErrorCode,
  message: string,
): Outcome {
  return new Outcome(
    {
      key: flag.key,
      value: null,
      variant: null,
      reason: 'ERROR',
      flag_version: flag.version,
      error: { code, message },
    },
    false,
    { valueJson: 'null', flagSetId: flag.flagSetId },
  );
}

function compilePlan(flag: Flag, flagSetId: string): FlagPlan {
  const outcome = outcomeMaker(flag, flagSetId);
  return {
    enabled: flag.enabled,
    off: at('off_variant', () => outcome(flag.off_variant, { reason: 'OFF' })),
    prerequisiteFailed: at('off_variant', () => outcome(flag.off_variant, { reason: 'PREREQUISITE_FAILED' })),
    prerequisites: flag.prerequisites.map((source) => ({ source, variants: new Set(source.variants) })),
    target: compileTargets(flag.targets, (variant) => outcome(variant, { reason: 'TARGET_MATCH' })),
    rules: flag.rules.map((rule, i) => at(`rules.${i}`, () => compileRule(flag, rule, outcome))),
    fallthrough: at('fallthrough', () => compileServe(flag.fallthrough, serveMaker(flag, outcome))),
    skipped: at('off_variant', () => outcome(flag.off_variant, { reason: 'FALLTHROUGH' })),
  };
}

function compileRule(flag: Flag, rule: Flag['rules'][number], outcome: MakeOutcome): CompiledRule {
  const clauses = compileClauses(rule.clauses);
  const shares = compileShares(rule.shares);
  const serve = compileServe(rule, serveMaker(flag, outcome, rule));
  return { source: rule, clauses, shares, test: ruleTest(clauses, shares), serve };
}

/** The specific properties of an outcome; the rest follows from the flag and the variant. */
interface OutcomeForm {
  readonly reason: Reason;
  readonly ruleId?: string;
  readonly bucketed?: boolean;
  readonly tracked?: boolean;
}

type MakeOutcome = (variant: string | null, form: OutcomeForm) => Outcome;

function outcomeMaker(flag: Flag, flagSetId: string): MakeOutcome {
  const textOf = valueTextOf(flag);
  const variants = new Map<string | null, ReturnType<typeof servedValue>>(
    flag.variants.map(({ key, value }, i) => [key, at(`variants.${i}`, () => servedValue(value, textOf, flagSetId))]),
  );
  const metadata = metadataOf(flag);
  // The code default: nothing is served.
  variants.set(null, servedValue(null, JSON.stringify, flagSetId));
  return (variant, form) => {
    const served = variants.get(variant);
    if (served === undefined) throw new Malformed(`unknown variant "${variant}"`);
    return new Outcome(
      {
        key: flag.key,
        value: served.value,
        variant,
        reason: form.reason,
        flag_version: flag.version,
        ...(form.ruleId !== undefined && { rule_id: form.ruleId }),
        ...(form.tracked === true && { tracked: true }),
        ...(metadata !== undefined && { metadata }),
      },
      form.bucketed === true,
      served.parts,
    );
  };
}

/** A frozen copy, like values; undefined if it is empty. */
function metadataOf({ metadata = {} }: Flag): FlagMetadata | undefined {
  const wrong = wrongMetadata(metadata);
  if (wrong !== undefined) throw new Malformed(`metadata: ${wrong}`);
  return Object.keys(metadata).length === 0 ? undefined : Object.freeze({ ...metadata });
}

function serveMaker(flag: Flag, outcome: MakeOutcome, rule?: Flag['rules'][number]): OutcomeMaker {
  const reason = rule === undefined ? 'FALLTHROUGH' : 'RULE_MATCH';
  const ruleId = rule === undefined ? {} : { ruleId: rule.id };
  return {
    flagKey: flag.key,
    salt: rule?.salt ?? flag.salt,
    outcome: (variant, { bucketed, split, tracked }) =>
      outcome(variant, { ...ruleId, reason: split ? 'TRACKED_ROLLOUT' : reason, bucketed, tracked }),
  };
}

type ValueText = (value: JsonValue) => string | undefined;

/**
 * How a flag's values are written as JSON. A number flag with a fraction in any variant writes every number with one
 * (`1.0`): clients in languages that distinguish integers from doubles choose the type by the text, and Python's and
 * Java's OFREP providers reject a `1` where a double is requested.
 */
function valueTextOf({ kind, variants }: Flag): ValueText {
  const isFraction = kind === 'number' && variants.some(({ value }) => typeof value === 'number' && value % 1 !== 0);
  if (!isFraction) return JSON.stringify;
  return (value) => JSON.stringify(value)?.replace(/^-?\d+$/, '$&.0');
}

/** The returned value: a frozen copy, so that no caller can change what the next one gets. */
function servedValue(value: JsonValue, textOf: ValueText, flagSetId: string) {
  const valueJson = textOf(value);
  if (valueJson === undefined) throw new Malformed('has no value');
  const copy: JsonValue = typeof value === 'object' && value !== null ? deepFreeze(structuredClone(value)) : value;
  return { value: copy, parts: { valueJson, flagSetId } };
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}
