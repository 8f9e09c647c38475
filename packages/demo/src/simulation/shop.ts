import { createRandom, type Random } from '../random.ts';

/** The products and visitors of the shop. */

export interface Product {
  sku: string;
  name: string;
  category: string;
  /** Euro cents. */
  price: number;
}

export const PRODUCTS: readonly Product[] = (
  [
    ['TENT-2P', 'Two-person tent', 'camping', 18900],
    ['TENT-4P', 'Family tent', 'camping', 34900],
    ['BAG-DOWN', 'Down sleeping bag', 'camping', 22900],
    ['STOVE-GAS', 'Gas stove', 'cooking', 4990],
    ['POT-TI', 'Titanium pot', 'cooking', 5900],
    ['MUG-STEEL', 'Steel mug', 'cooking', 1490],
    ['LAMP-HEAD', 'Head torch', 'light', 3990],
    ['LANTERN', 'Camp lantern', 'light', 2990],
    ['BOOT-HIKE', 'Hiking boots', 'footwear', 15900],
    ['SHOE-TRAIL', 'Trail shoes', 'footwear', 11900],
    ['JACKET-RAIN', 'Rain jacket', 'clothing', 13900],
    ['FLEECE', 'Fleece pullover', 'clothing', 6900],
    ['SOCKS-WOOL', 'Wool socks', 'clothing', 1790],
    ['PACK-30', 'Day pack 30 l', 'packs', 8900],
    ['PACK-60', 'Trekking pack 60 l', 'packs', 19900],
    ['MAP-ALPS', 'Map of the Alps', 'navigation', 1290],
    ['COMPASS', 'Compass', 'navigation', 2490],
    ['FLAG-SET', 'Set of marking flags', 'navigation', 990],
  ] as const
).map(([sku, name, category, price]) => ({ sku, name, category, price }));

export const CATEGORIES = [...new Set(PRODUCTS.map((product) => product.category))];
export const SEARCHES = [
  'tent',
  'boots',
  'rain jacket',
  'stove',
  'map',
  'wool',
  'lamp',
  'backpack',
  'compass',
] as const;

export interface Visitor {
  id: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
  plan: 'guest' | 'member' | 'plus';
  device: 'desktop' | 'mobile' | 'tablet';
  userAgent: string;
  address: string;
}

/** Number of different visitors: enough for an experiment, few enough that they return. */
const POPULATION = 4000;

const COUNTRIES: readonly (readonly [string, number])[] = [
  ['DE', 30],
  ['US', 20],
  ['FR', 14],
  ['GB', 12],
  ['AT', 6],
  ['CH', 6],
  ['NL', 6],
  ['ES', 6],
];

const USER_AGENTS = {
  desktop: [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  ],
  mobile: [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36',
  ],
  tablet: [
    'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  ],
} as const;

/** The next visitor. A visitor's properties depend only on their number, so they are the same at each visit. */
export function drawVisitor(random: Random): Visitor {
  const number = random.integer(POPULATION);
  const traits = createRandom('visitor', number);
  const device = traits.weighted([
    ['desktop', 5],
    ['mobile', 6],
    ['tablet', 1],
  ] as const);
  return {
    id: `visitor-${String(number).padStart(5, '0')}`,
    country: traits.weighted(COUNTRIES),
    plan: traits.weighted([
      ['guest', 5],
      ['member', 4],
      ['plus', 1],
    ] as const),
    device,
    userAgent: traits.pick(USER_AGENTS[device]),
    // TEST-NET-3 and its siblings (RFC 5737) are for documentation: nobody's address.
    address: `${traits.pick(['192.0.2', '198.51.100', '203.0.113'])}.${1 + traits.integer(254)}`,
  };
}
