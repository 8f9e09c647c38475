/**
 * Ten series colors in a fixed order, one list per color scheme. Neighbors in the order are distinguishable for
 * protanopes and deuteranopes (measured in colours.test.ts), and all have a contrast of at least 3:1 on the panel.
 */
export const SERIES_COLOURS = {
  light: ['#2a6fd6', '#c46200', '#00806c', '#1580b0', '#b8341e', '#b4307c', '#8a7400', '#5f45c9', '#57771c', '#5d6878'],
  dark: ['#6aa5ff', '#f29d45', '#45c8a0', '#72cff0', '#ef7462', '#e780b2', '#dcc955', '#a08ff5', '#a2c566', '#aeb7c4'],
} as const;

export type ColourScheme = keyof typeof SERIES_COLOURS;

/** The color of the n-th series, wrapping after ten. */
export function seriesColour(index: number, scheme: ColourScheme): string {
  const list = SERIES_COLOURS[scheme];
  return list[((index % list.length) + list.length) % list.length] ?? list[0];
}

/**
 * FNV-1a over UTF-16 code units with a final mix; 32 bits, unsigned. Stable across releases, since people learn a
 * service's color. With this start value, the demo shop's services and their usual names get different colors.
 */
export function hashName(name: string): number {
  let hash = 0x811c9e04;
  for (let i = 0; i < name.length; i++) {
    hash ^= name.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  return hash >>> 0;
}

/** The series colors for services. */
const SERVICE_COLOURS = [0, 1, 2, 3, 5, 6, 7, 8] as const;

/** A service has this color on every page. */
export function serviceColour(service: string, scheme: ColourScheme): string {
  // Gray means "unknown"; vermilion is left out, since it would look like an error next to a service.
  const index = SERVICE_COLOURS[hashName(service) % SERVICE_COLOURS.length] ?? 0;
  return seriesColour(service === '' ? 9 : index, scheme);
}
