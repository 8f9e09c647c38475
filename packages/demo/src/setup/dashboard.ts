import type { FlagKey } from '../simulation/visit.ts';
import type { ApiClient } from './api-client.ts';
import { createNamed } from './named.ts';

const FLAG: FlagKey = 'new-checkout';
const ORDERS = 'spans | where service.name == "checkout" and name == "POST /orders"';
const PAGES = 'spans | where service.name == "frontend" and kind == server';

/** Panels side by side, in 24 columns. */
function rowOf(y: number, h: number, ...panels: readonly { readonly id: string; readonly [field: string]: unknown }[]) {
  const w = Math.floor(24 / panels.length);
  return panels.map((panel, index) => ({ ...panel, x: index * w, y, w, h }));
}

/** One literal, from the top of the page to its bottom. */
function panelsOf(project: string, environment: string) {
  return [
    ...rowOf(
      0,
      4,
      {
        id: 'orders',
        type: 'stat',
        title: 'Orders',
        query: 'metric orders | increase | stats orders=sum(value)',
        decimals: 0,
      },
      {
        id: 'revenue',
        type: 'stat',
        title: 'Revenue',
        query: 'metric orders.revenue | increase | stats revenue=sum(value)',
        unit: 'EUR',
        decimals: 0,
      },
      {
        id: 'failed',
        type: 'stat',
        title: 'Pages that fail',
        query: `${PAGES} | stats failed=ratio(status == error)`,
        thresholds: [
          { value: 0, color: 'ok' },
          { value: 0.02, color: 'warning' },
          { value: 0.1, color: 'error' },
        ],
      },
      { id: 'p95', type: 'stat', title: 'Pages, p95', query: `${PAGES} | stats p95=p95(duration)` },
    ),
    ...rowOf(
      4,
      8,
      {
        id: 'pages',
        type: 'time_series',
        title: 'Pages by route',
        query: `${PAGES} | stats pages=count() by http.route, bucket(auto)`,
        draw: 'area',
        stacked: true,
      },
      {
        id: 'failures',
        type: 'time_series',
        title: 'Failed requests by service',
        query: 'spans | where kind == server | stats failed=ratio(status == error) by service.name, bucket(auto)',
      },
    ),
    ...rowOf(
      12,
      8,
      {
        id: 'checkout-variants',
        type: 'time_series',
        title: `Time to place an order, by variant of ${FLAG}`,
        description:
          'The new checkout validates the address first, so it takes longer. Split by flag, in the menu of any panel, does this.',
        query: `${ORDERS} | stats p95=p95(duration) by bucket(auto)`,
        split: { flag: FLAG },
      },
      {
        id: 'rollout',
        type: 'flag_rollout',
        title: `Who gets ${FLAG}`,
        flag: { project, environment, key: FLAG },
      },
    ),
    ...rowOf(
      20,
      8,
      {
        id: 'providers',
        type: 'time_series',
        title: 'Time of a charge by payment provider, p95',
        description: 'Paywise is slow from minute 20 to 26 of each hour.',
        query:
          'spans | where service.name == "payment" and kind == client | stats p95=p95(duration) by server.address, bucket(auto)',
      },
      {
        id: 'errors',
        type: 'logs',
        title: 'Latest errors',
        query: 'logs | where severity >= error | sort -time | limit 50 | fields time, service.name, body',
      },
    ),
  ];
}

/** The dashboard of the shop, one panel of which is split by the variants of a flag. */
export async function createDemoDashboard(
  api: ApiClient,
  { workspace, project }: { workspace: string; project: string },
  environment: string,
): Promise<void> {
  await createNamed(api, `/api/v1/workspaces/${workspace}/dashboards`, {
    name: 'Shop',
    description: 'What visitors of the demo shop get, and what its flags change.',
    tags: ['demo'],
    project,
    environment,
    panels: panelsOf(project, environment),
    time: { from: 'now-24h', to: 'now', refresh: '1m' },
  });
}
