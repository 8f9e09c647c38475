import { describe, expect, it } from 'vitest';
import { clientView, evaluate, evaluateAll, explain, ofrepFlags, patchRuleset, resolve } from './index.ts';
import { compiled, flag } from './testing/flags.ts';

describe('metadata', () => {
  const metadata = { owner: 'checkout', ticket: 1_204, risky: true };

  it('is in every form of an answer, whatever the reason', () => {
    const weights = [{ variant: 'true', weight: 100_000 }];
    const flags = compiled([
      flag('off', { enabled: false, metadata }),
      flag('split', { fallthrough: { rollout: { weights } }, metadata }),
    ]);
    for (const key of ['off', 'split']) {
      const context = { targetingKey: 'u' };
      expect(evaluate(flags, key, context).metadata).toEqual(metadata);
      expect(JSON.parse(resolve(flags, key, context).sdk).metadata).toEqual(metadata);
      const told = { ...metadata, flagVersion: 1, version: '1', flagSetId: 'shop/production', contextId: 'u' };
      expect(JSON.parse(resolve(flags, key, context).ofrep('"u"')).metadata).toEqual(told);
    }
  });

  it('cannot be changed by the caller', () => {
    expect(Object.isFrozen(evaluate(compiled([flag('f', { metadata })]), 'f', {}).metadata)).toBe(true);
  });

  it('is absent if the flag has none', () => {
    expect(evaluate(compiled([flag('f', { metadata: {} })]), 'f', {})).not.toHaveProperty('metadata');
  });

  it('makes the flag an error if it uses a reserved name', () => {
    const { error } = evaluate(compiled([flag('f', { metadata: { flagVersion: 7 } })]), 'f', {});
    expect(error?.message).toBe('flag "f": metadata: "flagVersion" is a reserved name');
  });
});

describe('client visibility', () => {
  const hidden = flag('hidden', { client_visible: false, fallthrough: { variant: 'true' } });
  const needs = flag('needs', {
    fallthrough: { variant: 'true' },
    prerequisites: [{ flag: 'hidden', variants: ['true'] }],
  });

  it('omits hidden flags, which still gate the flags that require them', () => {
    const view = clientView(compiled([hidden, needs]));
    expect(evaluate(view, 'hidden', {}).error?.code).toBe('FLAG_NOT_FOUND');
    expect([...evaluateAll(view, {}).keys()]).toEqual(['needs']);
    expect(JSON.parse(ofrepFlags(view, {}))).toHaveLength(1);
    expect(evaluate(view, 'needs', {}).value).toBe(true);
    expect(explain(view, 'needs', {}).prerequisites[0]?.result).toBe('matched');
  });

  it('returns the ruleset itself if nothing is hidden, and computes the view once', () => {
    const [open, some] = [compiled([needs]), compiled([hidden, needs])];
    expect(clientView(open)).toBe(open);
    expect(clientView(some)).toBe(clientView(some));
  });

  it('follows a patch', () => {
    const shown = patchRuleset(compiled([hidden]), { version: 2, flags: { hidden: flag('hidden') } });
    expect(clientView(shown)).toBe(shown);
  });
});
