import { createContext } from 'react';
import { type ColourScheme, seriesColour, variantColours } from '../../ui/colours.ts';

/** The index of the gray series color. */
const GRAY = 9;

/** The variant that is served while the flag is off, for parts of the page that color variants; null: none. */
export const OffVariant = createContext<string | null>(null);

/** The colors of a flag's variants. What is served while the flag is off is gray, since then nothing happens. */
export function flagColours(
  {
    variants,
    off_variant,
  }: { readonly variants: readonly { readonly key: string }[]; readonly off_variant: string | null },
  scheme: ColourScheme,
): ReadonlyMap<string, string> {
  const colours = variantColours(
    variants.map(({ key }) => key),
    scheme,
  );
  return off_variant === null ? colours : new Map([...colours, [off_variant, seriesColour(GRAY, scheme)]]);
}
