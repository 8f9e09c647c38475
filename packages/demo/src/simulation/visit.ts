import type { Random } from '../random.ts';
import { drawVisitor, type Visitor } from './shop.ts';

/** The flags of the shop, and their defaults. */
const FLAG_KEYS = ['new-checkout', 'payment-provider', 'discount'] as const;
/** Flags that guarded releases and experiments judge while the shop is open. History does not know them. */
export const JUDGED_FLAGS = ['image-cdn', 'search-box', 'wishlist-hint', 'button-colour'] as const;
export type FlagKey = (typeof FLAG_KEYS)[number] | (typeof JUDGED_FLAGS)[number];

export interface FlagValues {
  'new-checkout': boolean;
  'payment-provider': string;
  /** In percent. */
  discount: number;
  /** Pictures from another network, where some of them are missing. */
  'image-cdn': boolean;
  /** A new search box without any harm. */
  'search-box': boolean;
  /** `off` in history; `plain` or `hint` while it is judged. */
  'wishlist-hint': string;
  /** `blue` and `azure` are the same colour. */
  'button-colour': string;
}

export const FLAG_DEFAULTS: FlagValues = {
  'new-checkout': false,
  'payment-provider': 'paywise',
  discount: 0,
  'image-cdn': false,
  'search-box': false,
  'wishlist-hint': 'off',
  'button-colour': 'blue',
};

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

/** The scenarios whose pages evaluate the judged flags too. */
const JUDGED_SCENARIOS: readonly Scenario[] = ['home', 'search', 'product'];

/** The flags that a visit evaluates: those of its scenario, and while the shop is open the judged ones. */
export function flagsOf(scenario: Scenario, isOpen: boolean): readonly FlagKey[] {
  const own = SCENARIO_FLAGS[scenario];
  return isOpen && JUDGED_SCENARIOS.includes(scenario) ? [...own, ...JUDGED_FLAGS] : own;
}

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
