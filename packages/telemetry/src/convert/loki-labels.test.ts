import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WireError } from '../wire/reader.ts';
import { parseLabels } from './loki-labels.ts';

describe('the labels of a stream', () => {
  it.each([
    ['{}', []],
    ['{job="shop"}', [['job', 'shop']]],
    [
      '{ a="1", b="2", }',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    [
      String.raw`{path="C:\\x", said="\"no\"\n"}`,
      [
        ['path', 'C:\\x'],
        ['said', '"no"\n'],
      ],
    ],
    [String.raw`{a="\u00e4\x41\303\244"}`, [['a', 'äAä']]],
    ['{a=`raw \\n "text"`}', [['a', 'raw \\n "text"']]],
    ['{"with.dots"="x"}', [['with.dots', 'x']]],
  ])('%s', (text, labels) => expect(parseLabels(text)).toEqual(labels));

  it.each([
    '',
    'job="shop"',
    '{job}',
    '{job=shop}',
    '{job="shop"',
    '{a="1" b="2"}',
    '{a="1"} x',
    '{,}x',
    '{a="\\q"}',
    '{a="\\ud"}',
  ])('rejects %s', (text) => expect(() => parseLabels(text)).toThrow(WireError));

  it('are parsed in the form that Go prints', () => {
    const label = fc.tuple(fc.stringMatching(/^[a-zA-Z_]\w{0,20}$/), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(fc.array(label), (labels) => {
        const printed = labels.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(', ');
        expect(parseLabels(`{${printed}}`)).toEqual(labels);
      }),
    );
  });

  it('are parsed or rejected for any input, in linear time', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}=",\\`ax0u '), maxLength: 60 }), (text) => {
        try {
          parseLabels(text);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
      { numRuns: 3000 },
    );
    expect(() => parseLabels(`{${'a="b",'.repeat(100_000)}`)).toThrow(WireError);
  });
});
