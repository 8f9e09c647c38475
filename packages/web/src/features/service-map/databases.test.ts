import { expect, it } from 'vitest';
import { groupDatabases, shownNode } from './databases.ts';
import type { ServiceEdge, ServiceNode } from './types.ts';

const load = { calls: 100, rate: 1, errors: 0, p50_ns: 1e6, p95_ns: 2e6, p99_ns: 3e6 };
const node = (kind: ServiceNode['kind'], name: string, system: string | null = null): ServiceNode => ({
  ...load,
  id: `${kind}:${name}`,
  kind,
  name,
  system,
});
const edge = (source: string, target: string, given: Partial<ServiceEdge> = {}): ServiceEdge => ({
  ...load,
  source,
  target,
  ...given,
});

it.each([
  [node('service', 'cart'), 'cart', ''],
  [node('database', 'postgresql/payment|public', 'postgresql'), 'payment', 'PostgreSQL'],
  [node('database', 'postgresql/payment|ledger', 'postgresql'), 'payment.ledger', 'PostgreSQL'],
  [node('database', 'redis/0', 'redis'), 'Redis 0', 'database'],
  [node('database', 'postgresql', 'postgresql'), 'PostgreSQL', 'database'],
  [node('queue', 'kafka/orders.placed', 'kafka'), 'orders.placed', 'Kafka'],
  [node('database', 'other_db/stock', 'other_db'), 'stock', 'other_db'],
  [node('external', 'api.paywise.example'), 'api.paywise.example', ''],
] as const)('reads the name of %o', (given, title, about) => expect(shownNode(given)).toMatchObject({ title, about }));

it('makes one node of the databases of one product, and one line of the calls of one service to them', () => {
  const shop = node('service', 'shop');
  const [orders, stock] = [node('database', 'mysql/orders', 'mysql'), node('database', 'mysql/stock', 'mysql')];
  const cache = node('database', 'redis/0', 'redis');
  const { nodes, edges } = groupDatabases(
    [shop, orders, stock, cache],
    [
      edge(shop.id, orders.id, { errors: 0.1 }),
      edge(shop.id, stock.id, { calls: 300, rate: 3, p95_ns: 9e6 }),
      edge(shop.id, cache.id),
    ],
  );
  expect(nodes.map(({ id, title, about }) => [id, title, about])).toEqual([
    ['service:shop', 'shop', ''],
    ['database:redis/0', 'Redis 0', 'database'],
    ['databases:mysql', 'MySQL', '2 databases'],
  ]);
  expect(edges).toEqual([
    edge(shop.id, 'databases:mysql', { calls: 400, rate: 4, errors: 0.025, p95_ns: 9e6 }),
    edge(shop.id, cache.id),
  ]);
});
