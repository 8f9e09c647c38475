import { expect, it } from 'vitest';
import { pinOf, readPins, togglePin } from './pins.ts';

it('names a page by the end of its path', () => {
  expect(pinOf('/w/$ws/$project/recording-rules')).toBe('recording-rules');
});

it.each([
  [null, ['home', 'logs', 'alerts', 'flags']],
  ['["traces"]', ['traces']],
  ['[]', []],
  ['[1]', ['home', 'logs', 'alerts', 'flags']],
  ['{"a":', ['home', 'logs', 'alerts', 'flags']],
])('reads the stored pins %s as %j', (stored, pins) => expect(readPins(stored)).toEqual(pins));

it('pins a page at the end, and unpins it', () => {
  expect(togglePin(['home'], 'traces')).toEqual(['home', 'traces']);
  expect(togglePin(['home', 'traces'], 'home')).toEqual(['traces']);
});
