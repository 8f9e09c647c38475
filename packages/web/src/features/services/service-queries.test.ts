import { validate } from '@fanion/oql';
import { expect, it } from 'vitest';
import { evaluatedFlagsQuery, variantsQuery } from './service-health.ts';

it.each([
  ['the flags of a service', evaluatedFlagsQuery('check"out')],
  ['one flag', variantsQuery('checkout', ['a'])],
  ['six flags', variantsQuery('checkout', ['a', 'b', 'c', 'd', 'e', 'f"'])],
])('asks for %s in one valid query', (_what, query) => {
  expect(validate(query).valid).toBe(true);
});
