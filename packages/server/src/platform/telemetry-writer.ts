import type { ClickHouse } from './clickhouse/index.ts';

/** Inserts rows of telemetry, for features that derive some. It reads nothing: reads go through the gateway. */
export type TelemetryWriter = Pick<ClickHouse, 'insert'>;
