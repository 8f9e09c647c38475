import { expect, it } from 'vitest';
import { flagOf, serviceOf } from './query-subject.ts';

it.each([
  ['spans | where service.name == "payments" | stats n=count() by bucket(1m)', 'payments'],
  ['logs | where severity >= error | where service.name == "payments" and body has "x"', 'payments'],
  ['spans | where service.name == "payments" or kind == server', undefined],
  ['spans | where service.name != "payments"', undefined],
  ['spans | where not (service.name == "payments")', undefined],
  ['spans | stats n=count() by service.name | where service.name == "payments"', undefined],
  ['spans | stats n=count() by service.name', undefined],
  ['spans | where', undefined],
])('finds the service that a query is about: %s', (query, service) => {
  expect(serviceOf(query)).toBe(service);
});

it('finds the flag whose evaluations a query reads', () => {
  expect(flagOf('flags "new-checkout" | stats n=count() by variant')).toBe('new-checkout');
  expect(flagOf('spans | where name == "flags"')).toBeUndefined();
});
