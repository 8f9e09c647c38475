import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { SEVERITY_COLOURS } from '../telemetry/severity.ts';
import {
  assignColours,
  type ColourScheme,
  hashName,
  SERIES_COLOURS,
  SERVICE_COLOUR_COUNT,
  seriesColour,
  serviceColour,
  setServiceColours,
  VARIANT_COLOURS,
  variantColours,
} from './colours.ts';

const PANEL = { light: '#ffffff', dark: '#151a21' } as const;

type Rgb = [number, number, number];

function linear(hex: string): Rgb {
  const channel = (at: number) => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

function contrast(a: string, b: string): number {
  const luminance = (hex: string) => {
    const [r, g, bl] = linear(hex);
    return 0.2126 * r + 0.7152 * g + 0.0722 * bl;
  };
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** Machado, Oliveira and Fernandes (2009), severity 1.0, applied in linear RGB. */
const VISION: Record<string, number[]> = {
  normal: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanope: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranope: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
};

/** CIE Lab (D65) of a color as seen; distances are CIE76. */
function lab(hex: string, m: number[]): Rgb {
  const [r, g, b] = linear(hex);
  const row = (i: number) => {
    const v = (m[i] ?? 0) * r + (m[i + 1] ?? 0) * g + (m[i + 2] ?? 0) * b;
    return Math.min(1, Math.max(0, v));
  };
  const [R, G, B] = [row(0), row(3), row(6)];
  const x = (0.4124 * R + 0.3576 * G + 0.1805 * B) / 0.95047;
  const y = 0.2126 * R + 0.7152 * G + 0.0722 * B;
  const z = (0.0193 * R + 0.1192 * G + 0.9505 * B) / 1.08883;
  const f = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  return [116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))];
}

function distance(a: Rgb = [0, 0, 0], b: Rgb = [0, 0, 0]): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

describe.each(['light', 'dark'] as ColourScheme[])('series colours, %s', (scheme) => {
  it('has ten distinct colors with a contrast of at least 3:1 on the panel', () => {
    expect(new Set(SERIES_COLOURS[scheme]).size).toBe(10);
    for (const colour of SERIES_COLOURS[scheme]) expect(contrast(colour, PANEL[scheme])).toBeGreaterThanOrEqual(3);
  });

  it.each(Object.keys(VISION))('has neighbors that a %s can distinguish', (vision) => {
    for (const palette of [SERIES_COLOURS[scheme], VARIANT_COLOURS[scheme].slice(0, 5)]) {
      const list = palette.map((hex) => lab(hex, VISION[vision] ?? []));
      for (let i = 0; i + 1 < list.length; i++)
        expect(distance(list[i], list[i + 1]), `${palette[i]} and ${palette[i + 1]}`).toBeGreaterThan(30);
    }
  });

  it('has colors of variants and severities that no service and no other variant has', () => {
    const seen = (hex: string) => lab(hex, VISION.normal ?? []);
    const { error, warn, info } = SEVERITY_COLOURS[scheme];
    const services = SERIES_COLOURS[scheme].filter((_, index) => index !== 4 && index !== 9);
    for (const variant of VARIANT_COLOURS[scheme]) {
      expect(contrast(variant, PANEL[scheme])).toBeGreaterThanOrEqual(3);
      const others = [...services, error, warn, info, ...VARIANT_COLOURS[scheme].filter((one) => one !== variant)];
      for (const other of others)
        expect(distance(seen(variant), seen(other)), `${variant} and ${other}`).toBeGreaterThan(14);
    }
    for (const service of services)
      expect(distance(seen(info), seen(service)), `info and ${service}`).toBeGreaterThan(14);
  });

  it('wraps and never fails', () => {
    expect(seriesColour(10, scheme)).toBe(SERIES_COLOURS[scheme][0]);
    expect(seriesColour(-1, scheme)).toBe(SERIES_COLOURS[scheme][9]);
  });
});

it('gives the services of the demo shop different colors', () => {
  const services = ['frontend', 'catalog', 'cart', 'checkout', 'payment'];
  expect(new Set(services.map((service) => serviceColour(service, 'dark'))).size).toBe(5);
});

it('keeps the color of a service', () => {
  expect(hashName('checkout')).toBe(hashName('checkout'));
  expect(serviceColour('checkout', 'dark')).toBe(serviceColour('checkout', 'dark'));
  expect(SERIES_COLOURS.light).toContain(serviceColour('payments', 'light'));
  expect(serviceColour('', 'light')).toBe(SERIES_COLOURS.light[9]);
});

describe('assignColours', () => {
  const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { maxLength: 30 });

  it('gives as many names different colors as there are colors, and then uses colors equally often', () => {
    fc.assert(
      fc.property(names, (list) => {
        const used = new Array<number>(8).fill(0);
        for (const position of assignColours(list, 8).values()) used[position] = (used[position] ?? 0) + 1;
        expect(Math.max(...used) - Math.min(...used)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('keeps what a name has when others are added, also in another order', () => {
    fc.assert(
      fc.property(names, names, (list, more) => {
        const before = assignColours(list, 8);
        const after = assignColours([...more, ...list.toReversed()], 8, before);
        for (const [name, position] of before) expect(after.get(name)).toBe(position);
        const appended = assignColours([...new Set([...list, ...more])], 8);
        for (const [name, position] of before) expect(appended.get(name)).toBe(position);
      }),
    );
  });

  it('gives a name the color of its hash if no other has it', () => {
    expect(assignColours(['checkout'], 8).get('checkout')).toBe(hashName('checkout') % 8);
  });

  it('ignores remembered positions outside the palette', () => {
    expect(assignColours(['a'], 8, new Map([['a', 99]])).get('a')).toBe(hashName('a') % 8);
  });
});

describe('serviceColour', () => {
  afterEach(() => setServiceColours(new Map()));

  it('gives eight services of a project eight colors', () => {
    const services = ['api', 'auth', 'billing', 'cart', 'mail', 'search', 'stock', 'web'];
    const preferred = new Set(services.map((service) => serviceColour(service, 'light')));
    expect(preferred.size).toBeLessThan(8);
    setServiceColours(assignColours(services, SERVICE_COLOUR_COUNT));
    expect(new Set(services.map((service) => serviceColour(service, 'light'))).size).toBe(8);
  });
});

it('gives the variants of a flag different colors, whatever their order', () => {
  const variants = ['blue', 'control', 'green', 'red', 'true', 'false'];
  const colours = variantColours(variants, 'light');
  expect(new Set(colours.values()).size).toBe(6);
  expect([...variantColours(variants.toReversed(), 'light')].sort()).toEqual([...colours].sort());
  expect(variantColours(['false', 'true'], 'dark').get('true')).toBe(VARIANT_COLOURS.dark[0]);
});
