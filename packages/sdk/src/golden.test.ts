import { readdirSync, readFileSync } from 'node:fs';
import {
  compileRuleset,
  type EvaluationContext,
  evaluate,
  type FlagKind,
  ofrepReason,
  type Ruleset,
} from '@fanion/flag-engine';
import { OpenFeature, type EvaluationContext as OpenFeatureContext } from '@openfeature/server-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FanionProvider } from './provider.ts';
import { type FlagServer, startFlagServer } from './testing/flag-server.ts';

/** The engine's golden corpus, through the provider and OpenFeature's client. */
interface Corpus {
  readonly ruleset: Ruleset;
  readonly cases: readonly { readonly name: string; readonly flag: string; readonly context: EvaluationContext }[];
}

/** The caller's defaults, returned if nothing is served. */
const DEFAULTS = { boolean: true, string: 'default', number: -1, json: { by: 'default' } };

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
    const kind = corpus.ruleset.flags[flag]?.kind;
    const details = await ask(kind, flag, context as OpenFeatureContext);
    const { targetingKey } = context;
    const metadata = {
      ...(expected.error?.code !== 'FLAG_NOT_FOUND' && {
        flagVersion: expected.flag_version,
        version: String(expected.flag_version),
      }),
      flagSetId: 'golden/production',
      ...(typeof targetingKey === 'string' && { contextId: targetingKey }),
      ...(expected.rule_id !== undefined && { ruleId: expected.rule_id }),
    };
    expect(details).toMatchObject({ flagKey: flag, reason: ofrepReason(expected.reason) });
    expect(details.flagMetadata).toEqual(metadata);
    if (expected.error !== undefined) expect(details).toMatchObject({ errorCode: expected.error.code });
    // Nothing is served: the caller's default applies.
    else if (expected.variant === null)
      expect([details.value, details.variant]).toEqual([DEFAULTS[kind ?? 'boolean'], undefined]);
    else expect(details).toMatchObject({ value: expected.value, variant: expected.variant });
    expect(details.errorCode).toBe(expected.error?.code);
  });

  function ask(kind: FlagKind | undefined, flag: string, context: OpenFeatureContext) {
    if (kind === 'string') return client.getStringDetails(flag, DEFAULTS.string, context);
    if (kind === 'number') return client.getNumberDetails(flag, DEFAULTS.number, context);
    if (kind === 'json') return client.getObjectDetails(flag, DEFAULTS.json, context);
    return client.getBooleanDetails(flag, DEFAULTS.boolean, context);
  }
});
