import { describe, expect, it } from 'vitest';
import { evaluate, ofrepFlags, resolve, sdkFlags } from './index.ts';
import { compiled, flag } from './testing/flags.ts';

const number = (key: string, ...values: readonly number[]) =>
  flag(key, {
    kind: 'number',
    variants: values.map((value, i) => ({ key: `v${i}`, value })),
    off_variant: 'v0',
    fallthrough: { variant: 'v0' },
  });

describe('the text of a number', () => {
  it.each([
    ['an integer beside a fraction', [1, 0.5], '1.0'],
    ['a negative integer beside a fraction', [-20, 0.5], '-20.0'],
    ['zero beside a fraction', [0, 1e-3], '0.0'],
    ['a fraction', [0.5, 1], '0.5'],
    ['a very large number beside a fraction', [1e21, 0.5], '1e+21'],
    ['an integer among integers', [1, 2], '1'],
  ])('has a fraction for %s only where the flag has fractions', (_, values, text) => {
    const ruleset = compiled([number('n', ...values)]);
    const outcome = resolve(ruleset, 'n', {});
    for (const body of [outcome.ofrep(), outcome.sdk, ofrepFlags(ruleset, {}), sdkFlags(ruleset, {})]) {
      expect(body).toContain(`"value":${text},`);
    }
    expect(evaluate(ruleset, 'n', {}).value).toBe(values[0]);
  });

  it('is the same inside a JSON value and in a text', () => {
    const json = flag('j', { kind: 'json', variants: [{ key: 'v', value: [1, 0.5] }] });
    const text = flag('t', {
      kind: 'string',
      variants: [
        { key: 'v', value: '1' },
        { key: 'w', value: '0.5' },
      ],
    });
    const served = { off_variant: 'v', fallthrough: { variant: 'v' } };
    const ruleset = compiled([
      { ...json, ...served },
      { ...text, ...served },
    ]);
    expect(resolve(ruleset, 'j', {}).ofrep()).toContain('"value":[1,0.5],');
    expect(resolve(ruleset, 't', {}).ofrep()).toContain('"value":"1",');
  });
});

it('returns the reason ERROR with the code of a failure', () => {
  expect(JSON.parse(resolve(compiled([]), 'gone', {}).ofrep())).toMatchObject({
    key: 'gone',
    errorCode: 'FLAG_NOT_FOUND',
    reason: 'ERROR',
  });
});
