import type { Random } from '../random.ts';
import { drawVisitor, type Visitor } from './shop.ts';

/** The flags of the shop, and their defaults. */
const FLAG_KEYS = ['new-checkout', 'payment-provider', 'discount'] as const;
export type FlagKey = (typeof FLAG_KEYS)[number];

export interface FlagValues {
  'new-checkout': boolean;
  'payment-provider': string;
  /** In percent. */
  discount: number;
}

export const FLAG_DEFAULTS: FlagValues = { 'new-checkout': false, 'payment-provider': 'paywise', discount: 0 };

export const SCENARIOS = ['home', 'search', 'product', 'add-to-cart', 'checkout', 'expire-carts'] as const;
export type Scenario = (typeof SCENARIOS)[number];

/** The flags that a scenario evaluates; others must not count as exposures. */
export const SCENARIO_FLAGS: Readonly<Record<Scenario, readonly FlagKey[]>> = {
  home: [],
  search: [],
  product: [],
  'add-to-cart': ['discount'],
  checkout: ['new-checkout', 'discount', 'payment-provider'],
  'expire-carts': [],
};

const MIX: readonly (readonly [Scenario, number])[] = [
  ['home', 26],
  ['search', 16],
  ['product', 28],
  ['add-to-cart', 16],
  ['checkout', 13],
  ['expire-carts', 1],
];

/** One visit to the shop: who, what, when. */
export interface Visit {
  scenario: Scenario;
  visitor: Visitor;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Plans the visit at `at`, separately from its simulation, since the visitor's flags are evaluated in between. */
export function planVisit(at: number, random: Random): Visit {
  return { scenario: random.weighted(MIX), visitor: drawVisitor(random), at };
}
