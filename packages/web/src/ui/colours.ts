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

/** The series that a chart does not name by a color: those after the first ten. */
export const OTHER_COLOURS: Readonly<Record<ColourScheme, string>> = { light: '#b4bcc8', dark: '#4d5867' };

/**
 * The positions of names in a palette: the hash of a name is a preference, and names that prefer the same color get
 * different ones, as far as the palette goes; after that, its colors are used equally often. Names are served in their order, so
 * a name that is added at the end changes no other's color.
 * @param remembered positions that names have already; they keep them
 * @param preferred the position that a name would like, by default its hash
 */
export function assignColours(
  names: readonly string[],
  size: number,
  remembered: ReadonlyMap<string, number> = new Map(),
  preferred: (name: string) => number = (name) => hashName(name) % size,
): Map<string, number> {
  const used = new Array<number>(size).fill(0);
  const assigned = new Map<string, number>();
  const give = (name: string, position: number) => {
    assigned.set(name, position);
    used[position] = (used[position] ?? 0) + 1;
  };
  for (const name of names) {
    const position = remembered.get(name);
    if (position !== undefined && Number.isInteger(position) && position >= 0 && position < size) give(name, position);
  }
  for (const name of names) {
    if (assigned.has(name)) continue;
    const least = Math.min(...used);
    let position = preferred(name) % size;
    while (used[position] !== least) position = (position + 1) % size;
    give(name, position);
  }
  return assigned;
}

/** The series colors for services. Gray means "unknown"; vermilion would look like an error next to a service. */
const SERVICE_COLOURS = [0, 1, 2, 3, 5, 6, 7, 8] as const;
export const SERVICE_COLOUR_COUNT = SERVICE_COLOURS.length;

/** The services of the open project, as `assignColours` placed them. */
let assignedServices: ReadonlyMap<string, number> = new Map();

/** From now on, services have these colors on every page. */
export function setServiceColours(assigned: ReadonlyMap<string, number>): void {
  assignedServices = assigned;
}

/** A service has this color on every page: the one assigned in its project, or else the one it prefers. */
export function serviceColour(service: string, scheme: ColourScheme): string {
  if (service === '') return seriesColour(9, scheme);
  const position = assignedServices.get(service) ?? hashName(service) % SERVICE_COLOUR_COUNT;
  return seriesColour(SERVICE_COLOURS[position] ?? 0, scheme);
}

/** Colors of variants: unlike those of services and severities. Measured in colours.test.ts. */
export const VARIANT_COLOURS = {
  light: ['#454d88', '#cc6f47', '#9f5873', '#894da8', '#23512e', '#148a4f'],
  dark: ['#ac67b5', '#ddbb88', '#708515', '#1b8255', '#1870b0', '#e99ca2'],
} as const;

/** What is usually on has the first color, what is usually off the second. */
const USUAL_VARIANTS: Readonly<Record<string, number>> = { true: 0, on: 0, treatment: 0, false: 1, off: 1, control: 1 };

/** The colors of a flag's variants, the same wherever its variants are known. */
export function variantColours(variants: readonly string[], scheme: ColourScheme): ReadonlyMap<string, string> {
  const list = VARIANT_COLOURS[scheme];
  const prefers = (variant: string) =>
    USUAL_VARIANTS[variant.toLowerCase()] ?? 2 + (hashName(variant) % (list.length - 2));
  const assigned = assignColours([...new Set(variants)].sort(), list.length, undefined, prefers);
  return new Map([...assigned].map(([variant, position]) => [variant, list[position] ?? list[0]]));
}

/** Colors of span statuses: meaning colors, and gray for a status that was not set. */
const STATUS_COLOURS: Readonly<Record<ColourScheme, Readonly<Record<string, string>>>> = {
  light: { ok: '#157347', error: '#c02632' },
  dark: { ok: '#52c78f', error: '#ff7b81' },
};

export function statusColour(status: string, scheme: ColourScheme): string {
  return STATUS_COLOURS[scheme][status] ?? seriesColour(9, scheme);
}
