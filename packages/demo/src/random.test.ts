import { describe, expect, it } from 'vitest';
import { createRandom } from './random.ts';

const DRAWS = 20_000;

function draw<T>(from: () => T): T[] {
  return Array.from({ length: DRAWS }, from);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

describe('a random source', () => {
  it('returns the same sequence for the same key, and another for a neighbor', () => {
    const sequence = (...key: (string | number)[]) => {
      const random = createRandom(...key);
      return [random.next(), random.next(), random.hex(16)];
    };
    expect(sequence(1, 2)).toEqual(sequence(1, 2));
    expect(sequence(1, 2)).not.toEqual(sequence(1, 3));
    expect(sequence(1, 23)).not.toEqual(sequence(12, 3));
  });

  it('is uniform, and so is what it picks', () => {
    const random = createRandom('uniform');
    expect(mean(draw(random.next))).toBeCloseTo(0.5, 1);
    const picked = draw(() => random.pick(['a', 'b', 'c', 'd']));
    for (const letter of 'abcd') {
      expect(picked.filter((each) => each === letter).length / DRAWS).toBeCloseTo(0.25, 1);
    }
    expect(() => random.pick([])).toThrow(RangeError);
  });

  it('weighs its choices', () => {
    const random = createRandom('weights');
    const chosen = draw(() =>
      random.weighted([
        ['rare', 1],
        ['often', 9],
        ['never', 0],
      ]),
    );
    expect(chosen.filter((each) => each === 'rare').length / DRAWS).toBeCloseTo(0.1, 1);
    expect(chosen).not.toContain('never');
  });

  it('has the means of its distributions', () => {
    const random = createRandom('means');
    for (const expected of [0.3, 4, 700]) {
      const counts = draw(() => random.poisson(expected));
      expect(mean(counts) / expected).toBeGreaterThan(0.95);
      expect(mean(counts) / expected).toBeLessThan(1.05);
    }
    expect(mean(draw(() => random.exponential(20))) / 20).toBeCloseTo(1, 1);
    const sorted = draw(() => random.logNormal(50, 0.5)).sort((a, b) => a - b);
    expect((sorted[DRAWS / 2] ?? 0) / 50).toBeCloseTo(1, 1);
  });

  it('creates ids of the given length that do not repeat across keys', () => {
    const ids = new Set(Array.from({ length: 5000 }, (_, index) => createRandom('seed', index).hex(8)));
    expect(ids.size).toBe(5000);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
  });
});
