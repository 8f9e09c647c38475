import type { Random } from '../random.ts';
import type { Operation } from './operation.ts';
import { browseHome, search, viewProduct } from './scenarios/browsing.ts';
import { addToCart, expireCarts } from './scenarios/carts.ts';
import { checkOut } from './scenarios/checkout.ts';
import type { FlagValues, Scenario, Visit } from './visit.ts';

export type Simulate = (visit: Visit, flags: FlagValues, random: Random) => Operation[];

const SCENARIO: Readonly<Record<Scenario, Simulate>> = {
  home: browseHome,
  search,
  product: viewProduct,
  'add-to-cart': addToCart,
  checkout: checkOut,
  'expire-carts': (visit, _flags, random) => expireCarts(visit, random),
};

/**
 * Simulates a visit: returns the roots of its traces. The first starts at `visit.at`; queued work follows in separate
 * traces, which link to it. Pure: equal arguments give equal operations.
 */
export const simulate: Simulate = (visit, flags, random) => SCENARIO[visit.scenario](visit, flags, random);
