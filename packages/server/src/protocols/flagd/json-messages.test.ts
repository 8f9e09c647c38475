import { describe, expect, it } from 'vitest';
import { readResolve, writeAnyFlag, writeEvent, writeResolution, writeResolutions } from './json-messages.ts';

const others = { reason: 'TARGETING_MATCH', variant: 'on', metadata: { flagVersion: 3 } };

describe('readResolve', () => {
  it('reads names in both forms, and ignores unknown fields', () => {
    const context = { targetingKey: 'u', nested: { list: [1, null] } };
    expect(readResolve({ flagKey: 'a', context, more: 1 })).toEqual({ flag: 'a', context });
    expect(readResolve({ flag_key: 'a' })).toEqual({ flag: 'a', context: {} });
    expect(readResolve({ flagKey: null, context: null })).toEqual({ flag: '', context: {} });
  });

  it.each([
    ['a list', []],
    ['null', null],
    ['text', 'a'],
    ['nothing', undefined],
    ['a key that is a number', { flagKey: 7 }],
    ['a context that is a list', { flagKey: 'a', context: [] }],
    ['a context that is text', { flagKey: 'a', context: 'u' }],
  ])('rejects %s', (_name, body) => {
    expect(() => readResolve(body)).toThrow(/must be/);
  });
});

describe('responses', () => {
  const json = (bytes: Buffer) => JSON.parse(bytes.toString('utf8'));

  it('have values that are zero, integers as text, and no value for the default of the code', () => {
    expect(json(writeResolution({ typed: { type: 'boolean', value: false }, ...others }))).toEqual({
      value: false,
      ...others,
    });
    expect(json(writeResolution({ typed: { type: 'int', value: 7 }, ...others })).value).toBe('7');
    expect(json(writeResolution({ typed: { type: 'float', value: 0.5 }, ...others })).value).toBe(0.5);
    expect(json(writeResolution({ typed: undefined, ...others }))).toEqual(others);
  });

  it('have every value by its type in the answer of all flags', () => {
    const { flags } = json(
      writeResolutions([
        writeAnyFlag('a', { typed: { type: 'string', value: '' }, ...others }),
        writeAnyFlag('b', { typed: { type: 'object', value: { x: [1] } }, ...others }),
        writeAnyFlag('c', { typed: { type: 'float', value: 2 }, ...others }),
        writeAnyFlag('d', { typed: { type: 'boolean', value: true }, ...others }),
      ]),
    );
    expect(flags).toEqual({
      a: { ...others, stringValue: '' },
      b: { ...others, objectValue: { x: [1] } },
      c: { ...others, doubleValue: 2 },
      d: { ...others, boolValue: true },
    });
  });

  it('have the data of an event', () => {
    expect(json(writeEvent('configuration_change', { flags: {} }))).toEqual({
      type: 'configuration_change',
      data: { flags: {} },
    });
  });
});
