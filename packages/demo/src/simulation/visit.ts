import type { Random } from '../random.ts';
import { drawVisitor, type Visitor } from './shop.ts';

/** The flags of the shop, and what it does while no answer has come. */
const FLAG_KEYS = ['new-checkout', 'payment-provider', 'discount'] as const;
export type FlagKey = (typeof FLAG_KEYS)[number];

export interface FlagValues {
  'new-checkout': boolean;
  'payment-provider': string;
  /** Per cent off. */
  discount: number;
}

export const FLAG_DEFAULTS: FlagValues = { 'new-checkout': false, 'payment-provider': 'paywise', discount: 0 };

export const SCENARIOS = ['home', 'search', 'product', 'add-to-cart', 'checkout', 'expire-carts'] as const;
export type Scenario = (typeof SCENARIOS)[number];

/** Which flags a scenario asks for: what is not asked for must not count as an exposure. */
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

/** One thing that happens in the shop: who, what, when. */
export interface Visit {
  scenario: Scenario;
  visitor: Visitor;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Decides what happens at `at`; drawn apart from its simulation, since the flags of this visitor come in between. */
export function planVisit(at: number, random: Random): Visit {
  return { scenario: random.weighted(MIX), visitor: drawVisitor(random), at };
}
