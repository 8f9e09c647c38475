import type { ApiClient } from './api-client.ts';
import { createNamed } from './named.ts';

const SLOS = [
  {
    name: 'Orders are placed',
    description: 'Spends its budget too fast: the new checkout and slow payments fail too often.',
    indicator: {
      kind: 'events',
      source: 'spans | where service.name == "checkout" and name == "POST /orders"',
      good: 'status != error',
    },
    objective: 0.998,
    window: { kind: 'rolling', period: '7d' },
  },
  {
    name: 'Product pages are fast',
    description: 'Holds: nearly all product pages answer within 200 ms.',
    indicator: {
      kind: 'events',
      source: 'spans | where service.name == "frontend" and name == "GET /products/{sku}"',
      good: 'duration < 200ms',
    },
    objective: 0.95,
    window: { kind: 'rolling', period: '28d' },
  },
];

/** Two SLOs of which one burns its budget. Their past is counted when they are made, so it should be stored by then. */
export async function createDemoSlos(
  api: ApiClient,
  { workspace, project }: { workspace: string; project: string },
  environment: string,
): Promise<void> {
  for (const slo of SLOS)
    await createNamed(api, `/api/v1/workspaces/${workspace}/slos`, { ...slo, project, environment });
}
