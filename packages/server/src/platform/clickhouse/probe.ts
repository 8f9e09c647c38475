import { text } from 'node:stream/consumers';
import { createClient } from '@clickhouse/client';

/** The oldest version that is supported. */
export const leastClickHouse = '26.7';

/** What a ClickHouse server says about itself. */
export interface ClickHouseState {
  readonly version: string;
  /** Whether the user may create the database and its tables, insert and select. Undefined: this version cannot tell. */
  readonly mayMigrate: boolean | undefined;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** @throws Error when it does not answer within the time */
export async function probeClickHouse(url: string, timeoutMs: number): Promise<ClickHouseState> {
  const client = createClient({ url, request_timeout: timeoutMs });
  const ask = async (query: string) => (await text((await client.exec({ query })).stream)).trim();
  try {
    const [version = '', now] = (await ask('SELECT version(), toUnixTimestamp64Milli(now64(3))')).split('\t');
    const granted = await ask('CHECK GRANT CREATE DATABASE, CREATE TABLE, INSERT, SELECT ON fanion.*').catch(() => '');
    return { version, mayMigrate: granted === '' ? undefined : granted === '1', nowMs: Number(now) };
  } finally {
    await client.close();
  }
}
