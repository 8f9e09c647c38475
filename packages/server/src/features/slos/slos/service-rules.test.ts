import { expect, it } from 'vitest';
import { serviceOf } from './service-rules.ts';

const good = 'status != error';
it.each([
  [{ kind: 'events', source: 'spans | where service.name == "checkout"', good }, 'checkout'],
  [{ kind: 'events', source: 'spans | where kind == server and resource.service.name == "a"', good }, 'a'],
  [{ kind: 'events', source: 'logs | where severity > info | where service.name == "a"', good }, 'a'],
  [{ kind: 'events', source: 'spans', good }, undefined],
  [{ kind: 'events', source: 'spans | where service.name != "a"', good }, undefined],
  [{ kind: 'events', source: 'spans | where service.name == "a" or root', good }, undefined],
  [{ kind: 'events', source: 'spans | where not (service.name == "a")', good }, undefined],
  [{ kind: 'events', source: `spans | where service.name == "${'a'.repeat(5_000)}"`, good }, undefined],
  [
    { kind: 'ratio', good: 'spans | where service.name == "a" and status != error | count', total: 'spans | count' },
    undefined,
  ],
  [
    {
      kind: 'ratio',
      good: 'metric good_total | where service.name == "a" | sum',
      total: 'metric all_total | where service.name == "a" | sum',
    },
    'a',
  ],
  [
    {
      kind: 'slices',
      query: 'spans | where service.name == "a" | stats value=p95(duration)',
      op: '<',
      threshold: 1,
      slice: '1m',
    },
    'a',
  ],
] as const)('the service of %j is %s', (indicator, service) => {
  expect(serviceOf(indicator)).toBe(service);
});
