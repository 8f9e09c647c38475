import { readFileSync } from 'node:fs';
import { contextOfAttributes } from '../../packages/server/src/features/flags/growthbook/remote-rules.ts';
import { importOf, type Outcome, outcome } from './suite.ts';

type Attributes = Parameters<typeof contextOfAttributes>[0];
type ConditionCase = readonly [string, object, Attributes, boolean, Record<string, unknown>?];
interface FeatureContext {
  readonly features?: Record<string, object>;
  readonly attributes?: Attributes;
  readonly savedGroups?: Record<string, unknown>;
  readonly forcedVariations?: unknown;
}
type FeatureCase = readonly [string, FeatureContext, string, { readonly value: unknown }];

/** The sections of GrowthBook's `cases.json` (MIT) about what a feature says; the others are about SDKs' own experiments. */
export function growthBookOutcomes(file: string): Outcome[] {
  const cases: { evalCondition: ConditionCase[]; feature: FeatureCase[] } = JSON.parse(readFileSync(file, 'utf8'));
  return [
    ...cases.evalCondition.map(([name, condition, attributes, expected, savedGroups]) => {
      const rule = { condition, force: true };
      const imported = importOf('growthbook', { features: { f: { defaultValue: false, rules: [rule] } }, savedGroups });
      const { value } = imported.evaluate('f', contextOfAttributes(attributes));
      return outcome(`condition: ${name}`, expected, value, imported.notesOf('f'));
    }),
    ...cases.feature.map(([name, { features = {}, attributes = {}, savedGroups }, key, expected]) => {
      const imported = importOf('growthbook', { features, savedGroups });
      const { value } = imported.evaluate(key, contextOfAttributes(attributes));
      return outcome(`feature: ${name}`, expected.value ?? null, value ?? null, imported.notesOf(key));
    }),
  ];
}
