import { expect, it } from 'vitest';
import { seriesColour, variantColours } from '../../ui/colours.ts';
import { flagColours } from './flag-colours.ts';

it('shows what is served while the flag is off in gray, and the others in the colors of variants', () => {
  const variants = [{ key: 'true' }, { key: 'false' }];
  const colours = flagColours({ variants, off_variant: 'false' }, 'light');
  expect(colours.get('false')).toBe(seriesColour(9, 'light'));
  expect(colours.get('true')).toBe(variantColours(['true', 'false'], 'light').get('true'));
  expect(flagColours({ variants, off_variant: null }, 'light')).toEqual(variantColours(['true', 'false'], 'light'));
});
