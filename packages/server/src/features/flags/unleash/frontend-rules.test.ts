import type { Evaluation, FlagKind } from '@fanion/flag-engine';
import { describe, expect, it } from 'vitest';
import { contextInQuery, toggleOf, unleashContext } from './frontend-rules.ts';

const evaluation = (
  value: Evaluation['value'],
  variant: string | null,
  more: Partial<Evaluation> = {},
): Evaluation => ({
  key: 'flag',
  value,
  variant,
  reason: 'FALLTHROUGH',
  flag_version: 1,
  ...more,
});
const ofQuery = (query: string) => unleashContext(contextInQuery(new URLSearchParams(query)));

describe('contexts of the Unleash frontend API', () => {
  it('reads the user as the targeting key and properties as attributes', () => {
    expect(ofQuery('userId=u1&sessionId=s&properties[plan]=pro&properties[version]=2.1.0')).toEqual({
      targetingKey: 'u1',
      userId: 'u1',
      sessionId: 's',
      plan: 'pro',
      version: '2.1.0',
    });
  });

  it('reads any other parameter as an attribute', () => {
    expect(ofQuery('tier=gold&remoteAddress=192.0.2.7')).toEqual({ tier: 'gold', remoteAddress: '192.0.2.7' });
  });

  it('prefers a field of the context to a property of its name', () => {
    expect(unleashContext({ userId: 'u1', properties: { userId: 'other' } })).toEqual(ofQuery('userId=u1'));
  });

  it('reads no targeting key and no time from properties', () => {
    expect(ofQuery('properties[targetingKey]=u1&properties[now]=0&properties[a]=b')).toEqual({ a: 'b' });
  });

  it('reads a body as it reads a query: every value is text', () => {
    const body = { userId: 7, properties: { age: 30, beta: true, list: ['a'], nothing: null } };
    expect(unleashContext(body)).toEqual(ofQuery('userId=7&properties[age]=30&properties[beta]=true'));
  });

  it('evaluates at the time of the context, if that is a time', () => {
    expect(ofQuery('currentTime=2026-11-29T10:00:00Z').now).toBe(Date.UTC(2026, 10, 29, 10));
    expect(ofQuery('currentTime=tomorrow')).not.toHaveProperty('now');
  });

  it('keeps inherited names ordinary attributes', () => {
    const context = ofQuery('properties[__proto__]=x&properties[constructor]=y&userId=');
    expect(Object.entries(context)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['userId', ''],
    ]);
  });

  it.each([null, 'text', 7, ['a']])('ignores properties that are not an object: %j', (properties) => {
    expect(unleashContext({ userId: 'u1', properties })).toEqual(unleashContext({ userId: 'u1' }));
  });
});

describe('toggles of the Unleash frontend API', () => {
  it('enables a boolean flag without a variant', () => {
    expect(toggleOf(evaluation(true, 'true'), 'boolean')).toMatchObject({ enabled: true, variant: { enabled: false } });
  });

  it.each<[Evaluation['value'], Exclude<FlagKind, 'boolean'>, string]>([
    [0, 'number', '0'],
    ['', 'string', ''],
    [{ a: [1] }, 'json', '{"a":[1]}'],
    ['text', 'json', '"text"'],
    [false, 'json', 'false'],
  ])('serves %j as the payload of its variant', (value, kind, text) => {
    const toggle = toggleOf(evaluation(value, 'v'), kind);
    expect(toggle).toMatchObject({ enabled: true, variant: { name: 'v', payload: { type: kind, value: text } } });
  });

  it('serves the off variant of a flag with other values without enabling the flag', () => {
    const toggle = toggleOf(evaluation('grey', 'control', { reason: 'OFF' }), 'string');
    expect(toggle).toMatchObject({
      enabled: false,
      variant: { name: 'control', feature_enabled: false, payload: { value: 'grey' } },
    });
  });

  it('leaves out flags that serve false, nothing, an error, or the variant that means "no variant" in Unleash', () => {
    expect(toggleOf(evaluation(false, 'false'), 'boolean')).toBeUndefined();
    expect(toggleOf(evaluation(null, null), 'string')).toBeUndefined();
    expect(toggleOf(evaluation(null, null, { error: { code: 'GENERAL', message: 'x' } }), 'json')).toBeUndefined();
    expect(toggleOf(evaluation('disabled', 'disabled'), 'string')).toBeUndefined();
  });
});
