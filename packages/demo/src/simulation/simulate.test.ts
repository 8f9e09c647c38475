import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../random.ts';
import { endOf, type Operation, walk } from './operation.ts';
import { WISHLIST_EVENT } from './scenarios/judged.ts';
import { drawVisitor } from './shop.ts';
import { simulate } from './simulate.ts';
import { FLAG_DEFAULTS, type FlagValues, flagsOf, JUDGED_FLAGS, planVisit, SCENARIOS, type Scenario } from './visit.ts';

const DAY = 86_400_000;
const CALM = Date.UTC(2025, 5, 11, 10, 40);
const OUTAGE = Date.UTC(2025, 5, 11, 14, 20);

const visits = fc.record({
  seed: fc.nat(),
  scenario: fc.constantFrom(...SCENARIOS),
  at: fc.integer({ min: CALM, max: CALM + 7 * DAY }),
  flags: fc.record<FlagValues>({
    'new-checkout': fc.boolean(),
    'payment-provider': fc.constantFrom('paywise', 'cardlane', 'another'),
    discount: fc.constantFrom(0, 10, 15),
    'image-cdn': fc.boolean(),
    'search-box': fc.boolean(),
    'wishlist-hint': fc.constantFrom('off', 'plain', 'hint'),
    'button-colour': fc.constantFrom('blue', 'azure'),
  }),
});

function play(seed: number, scenario: Scenario, at: number, flags: FlagValues): Operation[] {
  const random = createRandom(seed);
  return simulate({ scenario, visitor: drawVisitor(random), at }, flags, random);
}

describe('a simulated visit', () => {
  it('has every child within its parent, and everything that happened within its operation', () => {
    fc.assert(
      fc.property(visits, ({ seed, scenario, at, flags }) => {
        for (const root of play(seed, scenario, at, flags)) {
          for (const operation of walk(root)) {
            expect(operation.end).toBeGreaterThanOrEqual(operation.start);
            for (const { start, end } of operation.children) {
              expect(start).toBeGreaterThanOrEqual(operation.start);
              expect(end).toBeLessThanOrEqual(operation.end);
            }
            for (const { at: moment } of [...operation.events, ...operation.logs, ...operation.flagUses]) {
              expect(moment).toBeGreaterThanOrEqual(operation.start);
              expect(moment).toBeLessThanOrEqual(operation.end);
            }
          }
          expect(endOf(root)).toBe(root.end);
        }
      }),
    );
  });

  it('begins at the given time, and each further trace links to an earlier one', () => {
    fc.assert(
      fc.property(visits, ({ seed, scenario, at, flags }) => {
        const [first, ...later] = play(seed, scenario, at, flags);
        expect(first?.start).toBe(at);
        expect(first?.links).toEqual([]);
        const seen = new Set(first ? walk(first) : []);
        for (const root of later) {
          expect(root.links.length).toBeGreaterThan(0);
          for (const link of root.links) {
            expect(seen.has(link)).toBe(true);
            expect(root.start).toBeGreaterThanOrEqual(link.end);
          }
          for (const operation of walk(root)) seen.add(operation);
        }
      }),
    );
  });

  it('calls another service only through a client span, and failures carry a type', () => {
    fc.assert(
      fc.property(visits, ({ seed, scenario, at, flags }) => {
        for (const operation of play(seed, scenario, at, flags).flatMap((root) => [...walk(root)])) {
          for (const child of operation.children) {
            if (child.service === operation.service) continue;
            expect([operation.kind, child.kind]).toEqual(['client', 'server']);
          }
          expect('error.type' in operation.attributes).toBe(operation.failure !== undefined);
          if (operation.events.some(({ name }) => name === 'exception')) {
            expect(operation.logs.some((line) => line.exception !== undefined)).toBe(true);
          }
        }
      }),
    );
  });

  it('is the same for the same arguments', () => {
    fc.assert(
      fc.property(visits, ({ seed, scenario, at, flags }) => {
        expect(play(seed, scenario, at, flags)).toEqual(play(seed, scenario, at, flags));
      }),
      { numRuns: 30 },
    );
  });

  it('evaluates only the flags of its scenario', () => {
    fc.assert(
      fc.property(visits, ({ seed, scenario, at, flags }) => {
        const asked = play(seed, scenario, at, flags).flatMap((root) =>
          [...walk(root)].flatMap((each) => each.flagUses),
        );
        for (const { key } of asked) expect(flagsOf(scenario, true)).toContain(key);
      }),
    );
  });
});

describe('judged flags', () => {
  const seen = (flags: Partial<FlagValues>) =>
    range(1500).map((seed) => first(play(seed, 'home', CALM, { ...FLAG_DEFAULTS, ...flags })));
  const wished = (roots: readonly Operation[]) =>
    roots.filter(({ logs }) => logs.some(({ body }) => body === WISHLIST_EVENT)).length / roots.length;

  it('change nothing in history, where they are not evaluated', () => {
    const roots = seen({});
    expect(wished(roots)).toBe(0);
    expect(roots.flatMap(({ flagUses }) => flagUses)).toEqual([]);
  });

  it('have the effects that the demo finds, and none where it finds none', () => {
    const plain = seen({ 'wishlist-hint': 'plain' });
    expect(wished(plain)).toBeCloseTo(0.15, 1);
    expect(wished(seen({ 'wishlist-hint': 'hint' }))).toBeCloseTo(0.32, 1);
    const broken = seen({ 'wishlist-hint': 'plain', 'image-cdn': true });
    expect(failed(broken).length / broken.length).toBeGreaterThan(failed(plain).length / plain.length + 0.25);
    for (const harmless of [{ 'search-box': true }, { 'button-colour': 'azure' }])
      expect(failed(seen({ 'wishlist-hint': 'plain', ...harmless }))).toHaveLength(failed(plain).length);
    expect(plain[0]?.flagUses.map(({ key }) => key)).toEqual([...JUDGED_FLAGS]);
  });
});

describe('the shop', () => {
  it('is mostly healthy on a calm day, but never without errors', () => {
    const roots = range(4000).map((seed) => {
      const random = createRandom(seed, 'mix');
      return first(simulate(planVisit(CALM, random), FLAG_DEFAULTS, random));
    });
    const share = failed(roots).length / roots.length;
    expect(share).toBeGreaterThan(0.001);
    expect(share).toBeLessThan(0.02);
    const services = new Set(roots.flatMap((root) => [...walk(root)].map((operation) => operation.service)));
    expect([...services].sort()).toEqual(['cart', 'catalog', 'checkout', 'frontend', 'payment']);
  });

  it('suffers in its checkout while the payment provider is slow, unless another provider is used', () => {
    const paywise = (at: number) => range(800).map((seed) => first(play(seed, 'checkout', at, FLAG_DEFAULTS)));
    const other = range(800).map((seed) =>
      first(play(seed, 'checkout', OUTAGE, { ...FLAG_DEFAULTS, 'payment-provider': 'cardlane' })),
    );
    expect(median(paywise(OUTAGE))).toBeGreaterThan(5 * median(paywise(CALM)));
    expect(failed(paywise(OUTAGE)).length).toBeGreaterThan(5 * failed(other).length);
    expect(median(other)).toBeLessThan(2 * median(paywise(CALM)));
  });

  it('loses 15 to 25 % of its payments while the payment provider is slow', () => {
    const payments = range(800).flatMap((seed) =>
      [...walk(first(play(seed, 'checkout', OUTAGE, FLAG_DEFAULTS)))].filter(
        ({ service, kind }) => service === 'payment' && kind === 'server',
      ),
    );
    const share = failed(payments).length / payments.length;
    expect(payments.length).toBeGreaterThan(500);
    expect(share).toBeGreaterThan(0.15);
    expect(share).toBeLessThan(0.25);
  });

  it('has a new checkout that is a bit slower, fails a bit more often, and sells more', () => {
    const arm = (on: boolean) =>
      range(3000).map((seed) => first(play(seed, 'checkout', CALM, { ...FLAG_DEFAULTS, 'new-checkout': on })));
    const [before, after] = [arm(false), arm(true)];
    expect(median(after) / median(before)).toBeGreaterThan(1.08);
    expect(median(after) / median(before)).toBeLessThan(1.6);
    expect(failed(after).length).toBeGreaterThan(1.5 * failed(before).length);
    expect(revenue(after) / orders(after)).toBeGreaterThan(revenue(before) / orders(before));
  });

  it('subtracts the discount from the price', () => {
    const total = (discount: number) =>
      revenue(range(2000).map((seed) => first(play(seed, 'checkout', CALM, { ...FLAG_DEFAULTS, discount })))) / 2000;
    expect(total(15)).toBeGreaterThan(0);
    // The same visits draw the same numbers, so only the discount differs between 10 and 15 percent.
    expect(total(15) / total(10)).toBeCloseTo(0.85 / 0.9, 3);
  });
});

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function first(roots: readonly Operation[]): Operation {
  const [root] = roots;
  if (!root) throw new Error('a visit without a trace');
  return root;
}

function failed(roots: readonly Operation[]): Operation[] {
  return roots.filter((root) => root.failure !== undefined);
}

function median(roots: readonly Operation[]): number {
  const sorted = roots.map((root) => root.end - root.start).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function measured(roots: readonly Operation[], name: string): number {
  return roots
    .flatMap((root) => [...walk(root)].flatMap((operation) => operation.measurements))
    .filter((measurement) => measurement.name === name)
    .reduce((sum, { value }) => sum + value, 0);
}

function revenue(roots: readonly Operation[]): number {
  return measured(roots, 'orders.revenue');
}

function orders(roots: readonly Operation[]): number {
  return measured(roots, 'orders');
}
