import {
  compileRuleset,
  type Flag as EngineFlag,
  type Explanation,
  explain,
  type JsonValue,
} from '@fanion/flag-engine';
import { type Draft, type Serve, toBody } from './draft.ts';
import { percentText } from './weights.ts';

export interface TrialFlag {
  key: string;
  kind: EngineFlag['kind'];
  variants: readonly { key: string; value: unknown }[];
}

export interface Trial {
  explanation: Explanation;
  /**
   * The shares of the deciding split when the bucket is unknown here: buckets hash a salt that stays on the server,
   * unless the split has its own seed or another product's hash. Null if the variant is certain.
   */
  shares: { variant: string; percent: string }[] | null;
}

/**
 * Evaluates a draft for a context with the server's engine. Segments are unknown here: a clause on a segment
 * does not match.
 */
export function tryDraft(
  flag: TrialFlag,
  draft: Draft,
  context: Readonly<Record<string, unknown>>,
  where: { environment: string; project: string },
): Trial {
  const { enabled, off_variant, fallthrough, targets = [], rules = [] } = toBody(draft, 0);
  const engineFlag = {
    key: flag.key,
    kind: flag.kind,
    version: 1,
    enabled,
    variants: flag.variants.map(({ key, value }) => ({ key, value: value as JsonValue })),
    off_variant,
    fallthrough: fallthrough as EngineFlag['fallthrough'],
    targets,
    rules: rules.map(
      (rule, index) => ({ ...rule, id: rule.id ?? `new-${index + 1}`, salt: '' }) as EngineFlag['rules'][number],
    ),
    salt: '',
    prerequisites: [],
  };
  const flags = { [flag.key]: engineFlag };
  const ruleset = compileRuleset({ version: 1, ...where, flags, segments: {} }, { clock: Date.now });
  const explanation = explain(ruleset, flag.key, context);
  return { explanation, shares: uncertainShares(explanation, draft) };
}

function uncertainShares(explanation: Explanation, draft: Draft): Trial['shares'] {
  const serve = decidingServe(explanation, draft);
  const foreign = serve?.kind === 'split' && (serve.kept?.hash ?? 'fanion') !== 'fanion';
  if (serve?.kind !== 'split' || serve.seed.trim() !== '' || foreign) return null;
  const shares = serve.weights.filter(({ weight }) => weight > 0);
  return shares.length < 2 ? null : shares.map(({ variant, weight }) => ({ variant, percent: percentText(weight) }));
}

function decidingServe(explanation: Explanation, draft: Draft): Serve | undefined {
  if (explanation.decided_by === 'fallthrough') return draft.fallthrough;
  if (explanation.decided_by !== 'rule') return undefined;
  return draft.rules[explanation.rules.findIndex((rule) => rule.result === 'matched')]?.serve;
}
