import { describe, expect, it } from 'vitest';
import { type ColourScheme, hashName, SERIES_COLOURS, seriesColour, serviceColour } from './colours.ts';

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

describe.each(['light', 'dark'] as ColourScheme[])('series colours, %s', (scheme) => {
  it('has ten distinct colors with a contrast of at least 3:1 on the panel', () => {
    expect(new Set(SERIES_COLOURS[scheme]).size).toBe(10);
    for (const colour of SERIES_COLOURS[scheme]) expect(contrast(colour, PANEL[scheme])).toBeGreaterThanOrEqual(3);
  });

  it.each(Object.keys(VISION))('has neighbors that a %s can distinguish', (vision) => {
    const list = SERIES_COLOURS[scheme].map((hex) => lab(hex, VISION[vision] ?? []));
    for (let i = 0; i + 1 < list.length; i++) {
      const [a, b] = [list[i], list[i + 1]] as [Rgb, Rgb];
      expect(Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), `${i} and ${i + 1}`).toBeGreaterThan(30);
    }
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
