import type { FlagKey } from '../simulation/visit.ts';
import { type ApiClient, ApiError, property } from './api-client.ts';

/** The shop's flags in the form of the API; `targeting` is the initial configuration in production. */
interface FlagDefinition {
  flag: { key: FlagKey; name: string; kind: 'boolean' | 'string' | 'number'; [field: string]: unknown };
  targeting: { off_variant: string; fallthrough: unknown; rules: unknown[] };
}

const DEFINITIONS: readonly FlagDefinition[] = [
  {
    flag: {
      key: 'new-checkout',
      name: 'New checkout',
      description: 'Checkout with a validated address. A little slower; does it sell more?',
      kind: 'boolean',
      tags: ['demo', 'checkout'],
      temporary: true,
    },
    targeting: {
      off_variant: 'false',
      fallthrough: {
        rollout: {
          weights: [
            { variant: 'true', weight: 30_000 },
            { variant: 'false', weight: 70_000 },
          ],
        },
      },
      rules: [],
    },
  },
  {
    flag: {
      key: 'payment-provider',
      name: 'Payment provider',
      description: 'Who charges the card. Paywise has its bad minutes each hour.',
      kind: 'string',
      variants: [
        { key: 'paywise', value: 'paywise', name: 'Paywise' },
        { key: 'cardlane', value: 'cardlane', name: 'Cardlane' },
      ],
      off_variant: 'paywise',
      tags: ['demo', 'payment'],
      temporary: false,
    },
    targeting: {
      off_variant: 'paywise',
      fallthrough: { variant: 'paywise' },
      rules: [
        {
          description: 'Cardlane is the cheaper one in North America and Great Britain',
          clauses: [{ attribute: 'country', op: 'in', values: ['US', 'GB'] }],
          variant: 'cardlane',
        },
      ],
    },
  },
  {
    flag: {
      key: 'discount',
      name: 'Discount in per cent',
      description: 'Taken off every price, by country.',
      kind: 'number',
      variants: [
        { key: 'none', value: 0, name: 'None' },
        { key: 'ten', value: 10, name: '10 %' },
        { key: 'fifteen', value: 15, name: '15 %' },
      ],
      off_variant: 'none',
      tags: ['demo', 'pricing'],
      temporary: false,
    },
    targeting: {
      off_variant: 'none',
      fallthrough: { variant: 'none' },
      rules: [
        {
          description: 'Summer sale in France',
          clauses: [{ attribute: 'country', op: 'in', values: ['FR'] }],
          variant: 'fifteen',
        },
        {
          description: 'Summer sale around the Alps',
          clauses: [{ attribute: 'country', op: 'in', values: ['DE', 'AT', 'CH'] }],
          variant: 'ten',
        },
      ],
    },
  },
];

/** A flag that a guarded release or an experiment serves; everybody else gets its first variant. */
function judged(
  key: FlagKey,
  name: string,
  description: string,
  kind: 'boolean' | 'string',
  variants: readonly string[],
): FlagDefinition {
  const [first = ''] = variants;
  return {
    flag: {
      ...{ key, name, description, kind, off_variant: first, tags: ['demo', 'judged'], temporary: true },
      ...(kind === 'string' && { variants: variants.map((value) => ({ key: value, value })) }),
    },
    targeting: { off_variant: first, fallthrough: { variant: first }, rules: [] },
  };
}

const JUDGED: readonly FlagDefinition[] = [
  judged('image-cdn', 'Image network', 'Pictures from another network, which lacks some of them.', 'boolean', [
    'false',
    'true',
  ]),
  judged('search-box', 'New search box', 'A larger search box.', 'boolean', ['false', 'true']),
  judged('wishlist-hint', 'Hint at the wishlist', 'A hint that products can be kept for later.', 'string', [
    'plain',
    'hint',
  ]),
  judged('button-colour', 'Colour of buttons', 'Both variants are the same colour.', 'string', ['blue', 'azure']),
];

/**
 * Creates the shop's flags and turns them on in `environment`. Keeps existing flags and targeting that anybody has
 * changed, so it can be called at every start.
 */
export async function createDemoFlags(
  api: ApiClient,
  project: { workspace: string; project: string },
  environment: string,
): Promise<void> {
  const base = `/api/v1/workspaces/${project.workspace}/projects/${project.project}`;
  for (const { flag, targeting } of [...DEFINITIONS, ...JUDGED]) {
    try {
      await api.post(`${base}/flags`, flag);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 409)) throw error;
    }
    const path = `${base}/environments/${environment}/flags/${flag.key}`;
    const current = await api.get(path);
    if (isUntouched(current)) {
      const version = property(current, 'version');
      await api.put(path, { enabled: true, targets: [], ...targeting, version, comment: 'Set up by fanion demo' });
    }
  }
}

/** A new flag is off everywhere; its version counts writes. */
function isUntouched(targeting: unknown): boolean {
  return property(targeting, 'enabled') === false && property(targeting, 'version') === 0;
}
