import fc from 'fast-check';
import { expect, it } from 'vitest';
import { metadataText, readMetadata } from './metadata-lines.ts';

it('round-trips metadata', () => {
  const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_. -]{0,20}[a-z]$/);
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constantFrom('true', '12', ' padded ', '"', 'a\nb'),
  );
  fc.assert(
    fc.property(fc.dictionary(name, value, { noNullPrototype: true }), (metadata) => {
      expect(readMetadata(metadataText(metadata))).toEqual({ metadata });
    }),
  );
});

it('reads numbers, booleans, quoted texts and the rest as text', () => {
  expect(readMetadata('owner = team a\n\nticket=1204\nrisky = true\ncode = "12"\nurl = https://a/?b=c')).toEqual({
    metadata: { owner: 'team a', ticket: 1204, risky: true, code: '12', url: 'https://a/?b=c' },
  });
});

it('reports a malformed line', () => {
  expect(readMetadata('owner')).toEqual({ wrong: '“owner” does not have the form name = value' });
  expect(readMetadata('a = 1\na = 2')).toEqual({ wrong: '“a” appears twice' });
});
