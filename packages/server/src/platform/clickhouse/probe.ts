import { text } from 'node:stream/consumers';
import { createClient } from '@clickhouse/client';
import { urlsOf } from '../url-hosts.ts';

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

/**
 * Asks the first host of a URL that answers.
 * @throws Error when none answers within the time
 */
export async function probeClickHouse(url: string, timeoutMs: number): Promise<ClickHouseState> {
  const [first = url, ...others] = urlsOf(url);
  let answer = probeHost(first, timeoutMs);
  for (const host of others) answer = answer.catch(() => probeHost(host, timeoutMs));
  return answer;
}

async function probeHost(url: string, timeoutMs: number): Promise<ClickHouseState> {
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
