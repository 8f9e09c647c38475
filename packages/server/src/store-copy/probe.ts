import { probeClickHouse } from '../platform/clickhouse/probe.ts';
import { messageOf } from '../platform/message-of.ts';
import { probePostgres } from '../platform/postgres/probe.ts';
import type { StoreUrls } from './sides.ts';

const PROBE_MS = 10_000;

/** Before anything else: most mistakes are in addresses and passwords. */
export async function probeStores({ database, clickhouse }: StoreUrls): Promise<void> {
  if (database !== undefined) await checked('PostgreSQL', probePostgres(database, PROBE_MS));
  if (clickhouse !== undefined) await checked('ClickHouse', probeClickHouse(clickhouse, PROBE_MS));
}

async function checked(store: string, answer: Promise<unknown>): Promise<void> {
  await answer.catch((error: unknown) => {
    throw new Error(`${store} cannot be used: ${messageOf(error) || 'no answer'}`, { cause: error });
  });
}
