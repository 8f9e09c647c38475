import type { ClickHouse } from '../../platform/clickhouse/index.ts';
import { SIGNALS, type Signal } from '../../platform/wal/index.ts';

export interface ArrivalScope {
  workspace: number;
  project?: number;
  environment?: string;
}

export interface Sdk {
  name: string;
  language: string;
  version: string;
}

/** What has arrived of one signal. Times are RFC 3339. */
export interface SignalStatus {
  signal: Signal;
  arrived: boolean;
  last_at: string | null;
  items: number;
  services: string[];
  sdks: Sdk[];
}

/** A sender of telemetry, over all signals. Times are RFC 3339. */
export interface SeenService {
  project: number;
  environment: string;
  service: string;
  signals: Signal[];
  sdks: Sdk[];
  first_at: string;
  last_at: string;
}

const MAX_NAMES = 1000;

function where({ project, environment }: ArrivalScope): string {
  return `workspace = {workspace:UInt32}${project === undefined ? '' : ' AND project = {project:UInt32}'}${
    environment === undefined ? '' : ' AND environment = {environment:String}'
  }`;
}

function sdkTuples(limit: number): string {
  return `arraySort(groupUniqArrayIf(${limit})((sdk_name, sdk_language, sdk_version), sdk_name != '' OR sdk_language != ''))`;
}

/**
 * What has arrived of each signal, within the retention of the arrivals table (400 days). Cheap at any volume: the
 * table has a row for each sender and hour.
 */
export async function getTelemetryStatus(store: ClickHouse, scope: ArrivalScope): Promise<SignalStatus[]> {
  const found = await store.queryRows<Omit<SignalStatus, 'arrived' | 'sdks'> & { sdks: [string, string, string][] }>(
    `SELECT signal, max(last) AS last_at, toFloat64(sum(arrived)) AS items,
       arraySort(groupUniqArray(${MAX_NAMES})(service)) AS services, ${sdkTuples(MAX_NAMES)} AS sdks
     FROM (SELECT signal, service, sdk_name, sdk_language, sdk_version, last_at AS last, items AS arrived
           FROM arrivals WHERE ${where(scope)})
     GROUP BY signal`,
    { params: { ...scope } },
  );
  return SIGNALS.map((signal) => {
    const status = found.find((row) => row.signal === signal);
    if (status === undefined) {
      return { signal, arrived: false, last_at: null, items: 0, services: [], sdks: [] };
    }
    return { ...status, arrived: true, sdks: status.sdks.map(toSdk) };
  });
}

/** All senders of a workspace or project, by name. */
export async function listSeenServices(store: ClickHouse, scope: ArrivalScope): Promise<SeenService[]> {
  const rows = await store.queryRows<Omit<SeenService, 'sdks'> & { sdks: [string, string, string][] }>(
    `SELECT project, environment, service,
       arraySort(groupUniqArray(signal)) AS signals, ${sdkTuples(100)} AS sdks,
       min(first) AS first_at, max(last) AS last_at
     FROM (SELECT project, environment, service, signal, sdk_name, sdk_language, sdk_version, first_at AS first, last_at AS last
           FROM arrivals WHERE ${where(scope)})
     GROUP BY project, environment, service ORDER BY service, project, environment LIMIT 100000`,
    { params: { ...scope } },
  );
  return rows.map((row) => ({ ...row, sdks: row.sdks.map(toSdk) }));
}

function toSdk([name, language, version]: [string, string, string]): Sdk {
  return { name, language, version };
}
