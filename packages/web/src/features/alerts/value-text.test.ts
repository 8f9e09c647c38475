import { expect, it } from 'vitest';
import { isShare, valueText } from './value-text.ts';

it.each([
  ['spans | stats value=ratio(status == error) by service.name', true],
  ['spans | stats ratio(status == error)', true],
  ['spans | stats failing=ratio(status == error), value=count()', false],
  ['spans | stats value=count()', false],
  ['spans | wher', false],
])('isShare(%j) is %s', (query, share) => expect(isShare(query)).toBe(share));

it.each([
  [0.0416667, true, '4.17%'],
  [0.0416667, false, '0.0417'],
  [1234, false, '1,234'],
  [null, true, '–'],
  ['Infinity', true, 'Infinity'],
] as const)('the value %s, share: %s, reads %s', (value, share, text) => {
  expect(valueText(value, share)).toBe(text);
});
