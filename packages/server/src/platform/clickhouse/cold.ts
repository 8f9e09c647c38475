import type { ClickHouse } from './client.ts';

/** Where old telemetry moves: a volume of a storage policy in ClickHouse's own configuration, usually on S3. */
export interface ColdStorage {
  readonly policy: string;
  readonly volume: string;
  readonly afterDays: number;
}

/** Of the tables whose rows expire by their own time: all large ones. */
const EXPIRES = 'toDateTime(time) + toIntervalDay(retention_days)';

/**
 * Lets tables of telemetry move parts to the cold volume when they are old enough. ClickHouse does so in the background. Parts that exist
 * already are not written anew to learn when to move: they stay until they expire.
 * @returns the tables that were changed; none if all are as they should be
 */
export async function moveOldTelemetry(
  store: Pick<ClickHouse, 'command' | 'queryRows'>,
  { database, cluster }: { readonly database: string; readonly cluster: string | undefined },
  { policy, volume, afterDays }: ColdStorage,
): Promise<string[]> {
  const ttl = `${EXPIRES}, toDateTime(time) + toIntervalDay(${afterDays}) TO VOLUME '${volume}'`;
  const rows = await store.queryRows<{ name: string }>(
    `SELECT name FROM system.tables WHERE database = {database:String} AND engine LIKE '%MergeTree'
       AND position(engine_full, {expires:String}) > 0
       AND NOT (position(engine_full, {ttl:String}) > 0 AND storage_policy = {policy:String}) ORDER BY name`,
    { params: { database, expires: `TTL ${EXPIRES}`, ttl: `TTL ${ttl}`, policy } },
  );
  const everywhere = cluster === undefined ? '' : ` ON CLUSTER '${cluster}'`;
  for (const { name } of rows) {
    const alter = `ALTER TABLE ${database}.${name}${everywhere}`;
    await store.command(`${alter} MODIFY SETTING storage_policy = '${policy}'`);
    await store.command(`${alter} MODIFY TTL ${ttl}`, { settings: { materialize_ttl_after_modify: 0 } });
  }
  return rows.map(({ name }) => name);
}
