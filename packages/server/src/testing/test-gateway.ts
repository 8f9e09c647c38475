import { tenantTables } from '../features.ts';

import {
  AnswerReader,
  createCompiler,
  createGateway,
  type Gateway,
  type GatewayOptions,
  laneLimits,
} from '../platform/gateway/index.ts';

/** A gateway with the server's own limits by default. */
export function testGateway(clickhouse: GatewayOptions['clickhouse'], more: Partial<GatewayOptions> = {}): Gateway {
  return createGateway({
    clickhouse,
    clock: { now: Date.now },
    tenantTables,
    hiddenPlaces: { of: async () => [], onRemoved: () => () => {} },
    compiler: createCompiler({ budgetMs: 10_000 }),
    answers: new AnswerReader(),
    unstored: async () => ({ items: 0, since: undefined, earliest: 0 }),
    lanes: laneLimits({ interactive: 6, dashboard: 3, alert: 2, background: 1 }, 4),
    seconds: 30,
    bytes: { result: 16 * 1024 ** 2, row: 4 * 1024 ** 2, export: 4 * 1024 ** 3, cache: 32 * 1024 ** 2 },
    ...more,
  });
}
