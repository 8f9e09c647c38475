import { readdirSync, readFileSync } from 'node:fs';
import {
  compileRuleset,
  type EvaluationContext,
  type EvaluationErrorCode,
  type JsonValue,
  ofrepError,
  ofrepReason,
  type Reason,
  type Ruleset,
  resolve,
} from '@fanion/flag-engine';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttp } from '../../../http/server.ts';
import { systemClock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import { createLog } from '../../../platform/log.ts';
import { checkOfrep } from '../../../testing/ofrep-schema.ts';
import { evaluationFeature } from './index.ts';
import { Rulesets } from './rulesets.ts';

/** The engine's golden corpus, through OFREP and the SDK's evaluation routes, over HTTP. Its README has the form. */
interface Corpus {
  readonly ruleset: Ruleset;
  readonly cases: readonly {
    readonly name: string;
    readonly flag: string;
    readonly context: EvaluationContext;
    readonly expect: {
      readonly value: JsonValue;
      readonly variant: string | null;
      readonly reason: Reason;
      readonly error?: EvaluationErrorCode;
    };
  }[];
}

const folder = new URL('../../../../../flag-engine/fixtures/', import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith('.json'));

async function serve(ruleset: Ruleset): Promise<{ app: FastifyInstance; base: string; told: string[] }> {
  const log = createLog('silent');
  const ids = { keyId: newId(), workspaceId: newId(), projectId: newId(), environmentId: newId() };
  const place = { ...ids, workspaceNumber: 1, projectNumber: 1, environmentKey: 'production' };
  const loaded = { ruleset, flagStamps: new Map<string, string>(), segmentStamps: new Map<string, string>() };
  const told: string[] = [];
  const raw = evaluationFeature({
    rulesets: new Rulesets({
      source: { load: async () => loaded, versions: async () => new Map() },
      log,
      clock: systemClock,
    }),
    sdkCaller: () => ({ kind: 'sdk', keyKind: 'server', payloadKey: null, allowedOrigins: [], ...place }),
    log,
    clock: systemClock,
    secret: Buffer.alloc(32, 7),
    answered: () => {},
    budgets: { refusal: () => undefined, spend() {} },
    exposures: { saw: (_place, _ruleset, { evaluation }) => void told.push(evaluation.key) },
  });
  const app = createHttp({ log, maxBodyBytes: 1024 * 1024, trustProxy: false, raw });
  return { app, told, base: await app.listen({ host: '127.0.0.1', port: 0 }) };
}

describe.each(files)('golden corpus %s', (file) => {
  const corpus: Corpus = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
  const compiled = compileRuleset(corpus.ruleset);
  let app: FastifyInstance;
  let base: string;
  let told: string[];

  beforeAll(async () => {
    ({ app, base, told } = await serve(corpus.ruleset));
  });
  afterAll(() => app?.close());

  async function ask(path: string, context: EvaluationContext) {
    // Written as text: a context may have a key `__proto__`.
    const body = `{"context":${JSON.stringify(context)}}`;
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(base + path, { method: 'POST', body, headers });
    return { status: response.status, headers: response.headers, json: await response.json() };
  }

  it.each(corpus.cases)('$name', async ({ flag, context, expect: expected }) => {
    // The protocol's targeting key is a string. Any other type is rejected before a flag is evaluated.
    const { targetingKey } = context;
    const refused = targetingKey !== undefined && typeof targetingKey !== 'string';
    const single = await ask(`/ofrep/v1/evaluate/flags/${encodeURIComponent(flag)}`, context);
    checkOfrep('single', single);
    if (refused) {
      expect([single.status, single.json.errorCode]).toEqual([400, 'INVALID_CONTEXT']);
      return;
    }
    expect(told.at(-1)).toBe(flag);
    if (expected.error !== undefined) {
      expect(single.status).toBe(ofrepError(expected.error).status);
      expect(single.json).toMatchObject({ key: flag, errorCode: expected.error, reason: 'ERROR' });
      expect('flagVersion' in single.json.metadata).toBe(expected.error !== 'FLAG_NOT_FOUND');
    } else {
      const { value, variant } = expected;
      expect(single.status).toBe(200);
      const { metadata: _, ...answer } = single.json;
      // OFREP's ADR 0006: there is no value when the caller's default applies.
      const served = variant === null ? {} : { value, variant };
      expect(answer).toEqual({ key: flag, reason: ofrepReason(expected.reason), ...served });
    }

    const bulk = await ask('/ofrep/v1/evaluate/flags', context);
    checkOfrep('bulk', bulk);
    expect(bulk.json.flags.map(({ key }: { key: string }) => key)).toEqual(Object.keys(corpus.ruleset.flags).sort());
    const { contextId: _, ...metadata } = single.json.metadata;
    const inBulk = bulk.json.flags.find(({ key }: { key: string }) => key === flag);
    if (inBulk !== undefined) expect(inBulk).toEqual({ ...single.json, metadata });

    const own = await ask(`/api/v1/sdk/flags/evaluate/${encodeURIComponent(flag)}`, context);
    if (expected.error === 'FLAG_NOT_FOUND') expect(own.status).toBe(404);
    else expect(own.json.data).toEqual(JSON.parse(resolve(compiled, flag, context).sdk));
  });
});
