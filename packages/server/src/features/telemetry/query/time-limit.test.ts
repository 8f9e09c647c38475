import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClickHouse, createClickHouse } from '../../../platform/clickhouse/index.ts';
import { type SignedUp, signUp, until } from '../../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';

const quantiles = (count: number, of: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => `q${i}=${of(i)}`).join(', ');

/** Each computes for long within one block, where the engine does not look at its clock. */
const LONG = {
  'of one field': `spans | stats ${quantiles(40, (i) => `quantile(duration, ${i / 40})`)}`,
  'of as many fields': `spans | stats ${quantiles(40, (i) => `p99(duration + ${i}ns)`)}`,
  'of logs': `logs | stats ${quantiles(40, (i) => `quantile(length(body), ${i / 40})`)} by severity`,
  'by many groups': `spans | stats ${quantiles(40, (i) => `quantile(duration, ${i / 40})`)} by trace_id`,
  'below the number that is estimated': `spans | stats ${quantiles(31, (i) => `p99(duration + ${i}ns)`)} by name`,
};

describe('four queries at once that take longer than the limit', () => {
  let server: TestServer;
  let store: ClickHouse;
  let ada: SignedUp;
  beforeAll(async () => {
    server = await startTestServer({
      env: { FANION_QUERY_SECONDS: '1', FANION_QUERY_COMPILE_MS: '30000', FANION_QUERY_CONCURRENCY: '6' },
    });
    store = createClickHouse({ url: server.clickhouseUrl, database: 'fanion' });
    // The first workspace and project have the number 1.
    ada = await signUp(server.base, 'ada');
    await store.command(
      `INSERT INTO spans (workspace, project, environment, retention_days, time, service, name, duration, trace_id, span_id)
       SELECT 1, 1, 'production', 30, now64(9) - toIntervalMicrosecond(number * 1000), 'shop', toString(number % 100),
         cityHash64(number) % 1000000000, unhex(leftPad(hex(number + 1), 32, '0')), unhex(leftPad(hex(number + 1), 16, '0'))
       FROM numbers(50000)`,
    );
    await store.command(
      `INSERT INTO logs (workspace, project, environment, retention_days, time, service, severity, body, trace_id)
       SELECT 1, 1, 'production', 30, now64(9) - toIntervalMicrosecond(number * 1000), 'shop', number % 24 + 1, repeat('a', number % 1000), unhex(leftPad('1', 32, '0'))
       FROM numbers(50000)`,
    );
  });
  afterAll(async () => {
    await store?.close();
    await server?.stop();
  });

  const ask = async (query: string) => {
    const { status, json, data } = await ada.post(`${ada.workspace}/query`, { query, from: 'now-1d', to: 'now+1m' });
    return status === 200 ? (data.rows.length > 0 ? 'answered' : 'without rows') : `${status} ${json?.error?.code}`;
  };
  const running = async () => {
    const { rows } = await store.query(
      "SELECT count() FROM system.processes WHERE query LIKE '%quantileExact%' AND query NOT LIKE '%processes%'",
    );
    return Number(rows[0]?.[0]);
  };

  it.each(Object.entries(LONG))(
    'are answered or end with 422, and then run no longer: quantiles %s',
    async (_, query) => {
      const outcomes = await Promise.all([query, query, query, query].map(ask));
      for (const outcome of outcomes) expect(['answered', '422 SVC-5002']).toContain(outcome);
      await until(async () => (await running()) === 0);
      // The store lives, and the queries have left their lane.
      await until(async () => (await ask('spans | count')) === 'answered');
    },
  );
});
