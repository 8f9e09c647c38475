import { ClickHouseError } from '@clickhouse/client';
import fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { sendFailure } from './envelope.ts';

describe('an unexpected error', () => {
  it.each([
    ['a refused connection', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 503],
    ['a lost connection', new Error('Connection terminated unexpectedly'), 503],
    ['a defect', new Error('x is not a function'), 500],
    [
      'a statement that the telemetry store rejects',
      new ClickHouseError({ message: 'the aggregate function extended', code: '184', type: 'ILLEGAL_AGGREGATION' }),
      500,
    ],
  ] as const)('answers %s', async (_, error, status) => {
    const app = fastify();
    app.setErrorHandler(sendFailure);
    app.get('/', () => Promise.reject(error));
    expect((await app.inject('/')).statusCode).toBe(status);
    await app.close();
  });
});
