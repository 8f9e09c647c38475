import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';

/** The official client, silent about the errors that tests provoke. */
export function clientOf(url: string, options: { compression?: boolean; database?: string } = {}): ClickHouseClient {
  const compression = options.compression ?? false;
  return createClient({
    url,
    request_timeout: 60_000,
    max_open_connections: 32,
    compression: { request: compression, response: compression },
    log: { level: ClickHouseLogLevel.OFF },
    ...(options.database ? { database: options.database } : {}),
  });
}

/** Rows of a query as objects. */
export async function rowsOf<Row = Record<string, unknown>>(
  client: ClickHouseClient,
  query: string,
  options: { query_params?: Record<string, unknown>; clickhouse_settings?: Record<string, string | number> } = {},
): Promise<Row[]> {
  const result = await client.query({ query, format: 'JSONEachRow', ...options });
  return result.json<Row>();
}

/** The first column of the first row, as text. */
export async function firstValue(client: ClickHouseClient, query: string): Promise<string> {
  const result = await client.query({ query, format: 'TabSeparated' });
  return (await result.text()).split('\n')[0] ?? '';
}
