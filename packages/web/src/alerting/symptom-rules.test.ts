import { validate } from '@fanion/oql';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failingQuery, sloOf } from '../features/services/service-health.ts';
import {
  emptySymptom,
  QUANTILES,
  requestsQuery,
  SYMPTOMS,
  type Symptom,
  symptomOf,
  symptomQuery,
  targetOf,
} from './symptom-rules.ts';

const checkout: Symptom = { ...emptySymptom, service: 'checkout' };

describe('symptomQuery', () => {
  it.each([
    [
      { kind: 'errors' },
      'spans | where service.name == "checkout" and (kind == server or kind == consumer) | stats value=ratio(status == error) by service.name',
    ],
    [
      { kind: 'latency', quantile: 'p99', operation: 'POST /pay', by: [] },
      'spans | where service.name == "checkout" and (kind == server or kind == consumer) and name == "POST /pay" | stats value=p99(duration)',
    ],
    [
      { kind: 'traffic', service: '', by: ['service.name', 'http.route'] },
      'spans | where (kind == server or kind == consumer) | stats value=count()/window by service.name, http.route',
    ],
    [{ kind: 'silence', by: [] }, 'spans | where service.name == "checkout" | stats value=count() by service.name'],
    [
      { kind: 'log_errors' },
      'logs | where service.name == "checkout" | stats value=count(severity >= error) by service.name',
    ],
    [
      { kind: 'metric', metric: 'queue.size', aggregation: 'max' },
      'metric queue.size | where service.name == "checkout" | stats value=max(value) by service.name',
    ],
    [
      { kind: 'metric', metric: 'rpc.duration', aggregation: 'p95', histogram: true, service: '' },
      'metric rpc.duration | increase | stats value=p95(value) by service.name',
    ],
    [{ kind: 'metric' }, ''],
  ] as const)('writes %j', (change, query) => {
    expect(symptomQuery({ ...checkout, ...change })).toBe(query);
  });

  it('opens the queries that other pages hand over', () => {
    expect(symptomOf(failingQuery('checkout'))).toEqual(checkout);
    expect(symptomOf(failingQuery())).toEqual(emptySymptom);
    expect(targetOf(sloOf('checkout').source ?? '')).toEqual({ service: 'checkout', operation: '' });
  });
});

describe('symptomOf', () => {
  it.each([
    '',
    'spans',
    'spans | stats value=ratio(status == error) by service.name',
    'spans | where service.name == "checkout" and kind == server | stats value=ratio(status == error) by service.name',
    `${symptomQuery(checkout)} | where value > 0.05`,
    `${symptomQuery(checkout)}, bucket(5m)`,
    symptomQuery(checkout).replace('value=', 'v='),
    symptomQuery(checkout).replace('by service.name', 'by s=service.name'),
    symptomQuery(checkout).replace('== "checkout"', '!= "checkout"'),
    symptomQuery(checkout).replace('status == error', 'status != error'),
    `from -1d; ${symptomQuery(checkout)}`,
    'spans | wher x',
  ])('is null for %j', (query) => {
    expect(symptomOf(query)).toBeNull();
  });

  it('reads a query that is laid out in another way', () => {
    const query = `spans
      | where service.name == "checkout" and (kind == server or kind == consumer)
      | stats value = ratio(status == error) by service.name`;
    expect(symptomOf(query)).toEqual(checkout);
  });
});

// A backtick cannot be written in a name of OQL.
const field = fc.oneof(
  fc.constantFrom('name', 'not', 'null', 'by', 'http.route', 'a-b.c', 'über', '1st', 'from', 'url.path'),
  fc
    .array(
      fc.string({ minLength: 1 }).filter((part) => !/[`\n.]/.test(part)),
      { minLength: 1, maxLength: 3 },
    )
    .map((parts) => parts.join('.')),
);
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('a"b', '\\d', '\b\f', '`', '\u2028', '// x'),
);
const symptom = fc.record({
  kind: fc.constantFrom(...(Object.keys(SYMPTOMS) as (keyof typeof SYMPTOMS)[])),
  service: text,
  operation: text,
  quantile: fc.constantFrom(...QUANTILES),
  metric: fc.oneof(
    text.filter((name) => name !== ''),
    field,
  ),
  aggregation: fc.constantFrom('rate', 'increase', 'count', 'p50', 'p95', 'p99', 'avg', 'min', 'max', 'sum'),
  histogram: fc.boolean(),
  by: fc.uniqueArray(field, { maxLength: 3 }),
} satisfies Record<keyof Symptom, unknown>);

describe('any symptom', () => {
  it('is read again from its query', () => {
    fc.assert(
      fc.property(symptom, (written) => {
        const query = symptomQuery(written);
        const read = symptomOf(query);
        expect(read).not.toBeNull();
        if (read === null) return;
        expect(symptomQuery(read)).toBe(query);
        const { kind, service, by } = read;
        expect({ kind, service }).toEqual({ kind: written.kind, service: written.service });
        if (kind !== 'silence') expect(by).toEqual(written.by);
        if (kind !== 'metric' && kind !== 'log_errors') expect(read.operation).toBe(written.operation);
        if (kind === 'metric') expect(read).toMatchObject({ metric: written.metric, aggregation: written.aggregation });
        if (kind === 'latency') expect(read.quantile).toBe(written.quantile);
      }),
    );
  });

  it('has requests that are read again', () => {
    fc.assert(
      fc.property(text, text, (service, operation) => {
        expect(targetOf(requestsQuery({ service, operation }))).toEqual({ service, operation });
      }),
    );
  });
});

it.each(Object.keys(SYMPTOMS) as (keyof typeof SYMPTOMS)[])('%s is a valid query', (kind) => {
  const query = symptomQuery({ ...checkout, kind, metric: 'orders', operation: 'x' });
  expect(validate(query).diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
});
