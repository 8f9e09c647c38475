import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  bucketValue,
  compileRuleset,
  type EvaluationContext,
  type EvaluationErrorCode,
  evaluate,
  evaluateAll,
  explain,
  type HashName,
  type JsonValue,
  ofrepFlags,
  ofrepReason,
  patchRuleset,
  type Reason,
  type Ruleset,
  resolve,
  sdkFlags,
} from './index.ts';
import { compiled as compileFlags, flag as flagOf } from './testing/flags.ts';

/** One file of `fixtures/`; its README has the form. */
interface Corpus {
  readonly source: string;
  readonly ruleset: Ruleset;
  readonly cases: readonly Case[];
  readonly buckets?: readonly Bucket[];
}

interface Case {
  readonly name: string;
  readonly flag: string;
  readonly context: EvaluationContext;
  readonly expect: {
    readonly value: JsonValue;
    readonly variant: string | null;
    readonly reason: Reason;
    readonly rule_id?: string;
    readonly error?: EvaluationErrorCode;
  };
}

interface Bucket {
  readonly flag_key: string;
  readonly salt: string;
  readonly seed?: string;
  readonly unit: string;
  readonly hash?: HashName;
  readonly bucket: number;
}

const folder = new URL('../fixtures/', import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith('.json'));

describe.each(files)('golden corpus %s', (file) => {
  const corpus: Corpus = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
  const compiled = compileRuleset(corpus.ruleset);

  it.each(corpus.cases)('$name', ({ flag, context, expect: expected }) => {
    const { key, value, variant, reason, rule_id, error } = evaluate(compiled, flag, context);
    expect({ key, value, variant, reason, rule_id, error: error?.code }).toEqual({
      key: flag,
      rule_id: undefined,
      error: undefined,
      ...expected,
    });
  });

  it.each(corpus.buckets ?? [])('bucket of $unit, seed $seed', ({ flag_key, salt, seed, unit, hash, bucket }) => {
    if (hash === undefined) {
      expect(bucketValue(seed === undefined ? { flag_key, salt } : { seed }, unit)).toBeCloseTo(bucket, 7);
      return;
    }
    const weights = [{ variant: 'true', weight: 100_000 }];
    const rollout = { hash, weights, ...(seed !== undefined && { seed }) };
    const flags = compileFlags([flagOf(flag_key, { salt, fallthrough: { rollout } })]);
    expect(evaluate(flags, flag_key, { targetingKey: unit }).bucket).toBe(bucket);
  });

  it('returns the same answers singly, in bulk, as text, and explained', () => {
    for (const { flag, context } of corpus.cases) {
      const single = evaluate(compiled, flag, context);
      expect(explain(compiled, flag, context).evaluation).toEqual(single);
      const all = evaluateAll(compiled, context);
      expect([...all.keys()]).toEqual(Object.keys(corpus.ruleset.flags).sort());
      if (all.has(flag)) expect(all.get(flag)).toEqual(single);

      const { bucket: _bucket, tracked: _tracked, ...wire } = single;
      expect(JSON.parse(resolve(compiled, flag, context).sdk)).toEqual(wire);
      const bulk = JSON.parse(sdkFlags(compiled, context));
      expect(Object.keys(bulk)).toEqual([...all.keys()]);
      if (all.has(flag)) expect(bulk[flag]).toEqual(wire);

      const contextId = JSON.stringify(context.targetingKey ?? null);
      const body = JSON.parse(resolve(compiled, flag, context).ofrep(contextId));
      const versions = { flagVersion: single.flag_version, version: String(single.flag_version) };
      const metadata = {
        ...(single.error?.code !== 'FLAG_NOT_FOUND' && versions),
        flagSetId: 'golden/production',
      };
      const reason = ofrepReason(single.reason);
      // A code default has neither value nor variant.
      const served = { reason, ...(single.variant !== null && { value: single.value, variant: single.variant }) };
      const failure = { errorCode: single.error?.code, errorDetails: single.error?.message, reason };
      const withId = { ...metadata, contextId: context.targetingKey ?? null };
      expect(body).toEqual({ key: flag, ...(single.error ? failure : served), metadata: withId });
      const inBulk = JSON.parse(ofrepFlags(compiled, context)).find((entry: { key: string }) => entry.key === flag);
      if (all.has(flag)) expect(inBulk).toEqual({ ...body, metadata });
    }
  });

  it('returns the same answers when patches built the ruleset', () => {
    const { flags, segments, ...head } = corpus.ruleset;
    let patched = compileRuleset({ ...head, version: 0, flags: {}, segments: {} });
    for (const [i, [key, flag]] of Object.entries(flags).reverse().entries()) {
      patched = patchRuleset(patched, { version: i + 1, flags: { [key]: flag } });
    }
    patched = patchRuleset(patched, { version: head.version, segments });
    for (const { flag, context } of corpus.cases) {
      expect(evaluate(patched, flag, context)).toEqual(evaluate(compiled, flag, context));
      expect(ofrepFlags(patched, context)).toBe(ofrepFlags(compiled, context));
    }
  });
});
