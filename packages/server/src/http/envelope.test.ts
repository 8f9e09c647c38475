import { ClickHouseError } from '@clickhouse/client';
import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { toFailure } from './envelope.ts';

const request = { id: 'r1', log: { warn() {}, error() {} } } as Partial<FastifyRequest> as FastifyRequest;

describe('an unexpected error', () => {
  it.each([
    ['a refused connection', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 'STORE_UNAVAILABLE'],
    ['a lost connection', new Error('Connection terminated unexpectedly'), 'STORE_UNAVAILABLE'],
    ['a defect', new Error('x is not a function'), 'INTERNAL'],
    [
      'a statement that the telemetry store rejects',
      new ClickHouseError({ message: 'Aggregate function in a query that ended', code: '184', type: 'ILLEGAL_AGGREGATION' }),
      'INTERNAL',
    ],
  ] as const)('is answered rightly: %s', (_, error, expected) => {
    expect(toFailure(error, request).error).toBe(expected);
  });
});
