import { readdirSync, readFileSync } from 'node:fs';
import { compileRuleset, type EvaluationContext, evaluate, ofrepReason, type Ruleset } from '@fanion/flag-engine';
import { OpenFeature, type EvaluationContext as OpenFeatureContext } from '@openfeature/server-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FanionProvider } from './provider.ts';
import { type FlagServer, startFlagServer } from './testing/flag-server.ts';

/** The engine's golden corpus, through the provider and OpenFeature's client. */
interface Corpus {
  readonly ruleset: Ruleset;
  readonly cases: readonly { readonly name: string; readonly flag: string; readonly context: EvaluationContext }[];
}

const folder = new URL('../../flag-engine/fixtures/', import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith('.json'));

describe.each(files)('golden corpus %s', (file) => {
  const corpus: Corpus = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
  const compiled = compileRuleset(corpus.ruleset);
  const client = OpenFeature.getClient(file);
  let server: FlagServer;

  beforeAll(async () => {
    server = await startFlagServer(corpus.ruleset);
    const provider = new FanionProvider({ endpoint: server.endpoint, sdkKey: server.key });
    await OpenFeature.setProviderAndWait(file, provider);
  });
  afterAll(async () => {
    await OpenFeature.clearProviders();
    await server.stop();
  });

  it.each(corpus.cases)('$name', async ({ flag, context }) => {
    const expected = evaluate(compiled, flag, context);
    const details = await ask(expected.value, flag, context as OpenFeatureContext);
    const { targetingKey } = context;
    const metadata = {
      flagVersion: expected.flag_version,
      version: String(expected.flag_version),
      flagSetId: 'golden/production',
      ...(typeof targetingKey === 'string' && { contextId: targetingKey }),
      ...(expected.rule_id !== undefined && { ruleId: expected.rule_id }),
    };
    expect(details).toMatchObject({ flagKey: flag, reason: ofrepReason(expected.reason), flagMetadata: metadata });
    if (expected.error !== undefined) expect(details).toMatchObject({ errorCode: expected.error.code });
    else expect(details).toMatchObject({ value: expected.value, variant: expected.variant });
    expect(details.errorCode).toBe(expected.error?.code);
  });

  function ask(value: unknown, flag: string, context: OpenFeatureContext) {
    if (typeof value === 'string') return client.getStringDetails(flag, 'default', context);
    if (typeof value === 'number') return client.getNumberDetails(flag, -1, context);
    if (typeof value === 'object' && value !== null) return client.getObjectDetails(flag, {}, context);
    return client.getBooleanDetails(flag, false, context);
  }
});
