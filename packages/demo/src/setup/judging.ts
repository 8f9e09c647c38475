import { WISHLIST_EVENT } from '../simulation/scenarios/judged.ts';
import type { FlagKey } from '../simulation/visit.ts';
import { type ApiClient, ApiError } from './api-client.ts';

export const METRIC = {
  key: 'wishlist',
  name: 'Wishlist',
  description: 'Visitors who put something on their wishlist after they saw the flag.',
  kind: 'conversion',
  source: `logs | where body == "${WISHLIST_EVENT}"`,
  unit: 'user.id',
};

/** The body that plans a guarded release. */
export interface ReleasePlan {
  readonly variant: string;
  readonly steps: readonly { readonly weight: number; readonly hold: string; readonly min_units: number }[];
  readonly guards: readonly { readonly metric: string; readonly tolerance: number; readonly min_units: number }[];
  readonly watch: string;
}

/** Short steps, so that somebody who looks at the demo sees a release end. */
export const RELEASES: readonly { flag: FlagKey; plan: ReleasePlan }[] = [
  {
    flag: 'image-cdn',
    plan: {
      variant: 'true',
      watch: '5m',
      // Rolled back long before the step could end.
      steps: [{ weight: 50_000, hold: '10m', min_units: 1_000 }],
      guards: [{ metric: 'error_rate', tolerance: 0.01, min_units: 30 }],
    },
  },
  {
    flag: 'search-box',
    plan: {
      variant: 'true',
      watch: '5m',
      steps: [
        // The shop has only 4000 visitors: with a fifth of them, too few to prove that there is no harm.
        { weight: 40_000, hold: '1m', min_units: 20 },
        { weight: 50_000, hold: '2m', min_units: 30 },
      ],
      guards: [
        { metric: 'error_rate', tolerance: 0.1, min_units: 20 },
        { metric: 'latency', tolerance: 200_000_000, min_units: 20 },
      ],
    },
  },
];

function even(...variants: readonly string[]) {
  return variants.map((variant) => ({ variant, weight: 100_000 / variants.length }));
}

/** One with an effect, and one without. */
export const EXPERIMENTS = [
  {
    key: 'wishlist-hint',
    name: 'Hint at the wishlist',
    hypothesis: 'A hint leads more visitors to put something on their wishlist.',
    flag: 'wishlist-hint' satisfies FlagKey,
    control: 'plain',
    variants: even('plain', 'hint'),
    metrics: { goals: ['wishlist'], guardrails: ['error_rate', 'latency_p95'] },
    analysis: { minimal_effect: 0.5 },
  },
  {
    key: 'button-colour',
    name: 'Two equal colours (A/A)',
    hypothesis: 'Both variants are the same, so no difference should be found.',
    flag: 'button-colour' satisfies FlagKey,
    control: 'blue',
    variants: even('blue', 'azure'),
    metrics: { goals: ['wishlist'], guardrails: ['error_rate'] },
  },
];

/**
 * Arms a guarded release that will complete and one that will roll back, and starts an experiment with an effect and one
 * without. What exists is left as it is, so it can be called at every start.
 */
export async function startDemoJudging(
  api: ApiClient,
  project: { workspace: string; project: string },
  environment: string,
): Promise<void> {
  const base = `/api/v1/workspaces/${project.workspace}/projects/${project.project}`;
  await unless(409, () => api.post(`${base}/metrics`, METRIC));
  for (const { flag, plan } of RELEASES) {
    const path = `${base}/environments/${environment}/flags/${flag}/guarded-release`;
    if (await unless(404, () => api.get(path))) continue;
    await api.put(path, plan);
    // Somebody may have turned the flag off, or serve something else by now.
    await unless(409, () => api.post(`${path}/arm`, {}));
  }
  for (const experiment of EXPERIMENTS) {
    const isNew = await unless(409, () => api.post(`${base}/experiments`, { ...experiment, environment }));
    if (isNew) await unless(409, () => api.post(`${base}/experiments/${experiment.key}/start`, {}));
  }
}

/** Whether a call succeeded; false for the status that says that there is nothing to do. */
async function unless(status: number, call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === status) return false;
    throw error;
  }
}
