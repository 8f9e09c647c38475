import { expect, it } from 'vitest';
import { facetFields, facetQuery } from './facets.ts';

const field = (name: string, scope: 'field' | 'attribute' | 'resource', frequency: number, cardinality = 3) => ({
  ...{ name, scope, frequency, cardinality, type: 'string', types: ['string'] },
  ...{ source: 'logs' as const, rows: 1 },
});

it('starts with severity and service, and omits constant fields', () => {
  const fields = [
    field('environment', 'field', 1, 1),
    field('host.name', 'resource', 1),
    field('event_name', 'field', 1),
    field('order.id', 'attribute', 0.1),
    field('user.id', 'attribute', 0.5),
    field('service.name', 'field', 1, 1),
    field('severity', 'field', 1),
  ];
  expect(facetFields(fields).map(({ name }) => name)).toEqual([
    'severity',
    'service.name',
    'user.id',
    'order.id',
    'event_name',
    'resource.host.name',
  ]);
});

it('counts the values of a field under all filters except its own', () => {
  expect(facetQuery('a', ['body has "x"'], ['a == 1', 'b == 2'])).toBe(
    'logs | where body has "x" and b == 2 | stats n=count() by a | sort -n | limit 8',
  );
});
