import type { ClickHouse } from './clickhouse/index.ts';

/** Inserts rows of telemetry, for features that derive some. It reads nothing: reads go through the gateway. */
export type TelemetryWriter = Pick<ClickHouse, 'insert'>;

/** Derives rows within the store (`INSERT … SELECT`), for features that keep some for longer. No row leaves it: reads go through the gateway. */
export type TelemetryDeriver = Pick<ClickHouse, 'command'>;
