import type { TelemetryReader } from '../../../platform/telemetry-reader.ts';
import type { Arrivals, Signal } from './telemetry-rules.ts';

const maxServices = 100;
const maxSdks = 50;

interface Row {
  readonly signal: Signal;
  /** 64-bit numbers come as text where the store is set so. */
  readonly items: number | string;
  readonly last_ms: number | string;
  readonly services: string[];
  readonly sdks: [name: string, language: string, version: string][];
}

/** What has arrived for a project, or for one environment of it, by signal. */
export async function findArrivals(
  telemetry: TelemetryReader,
  place: { workspace: number; project: number; environment: string | undefined },
): Promise<Arrivals[]> {
  const rows = await telemetry.query<Row>(
    `SELECT signal, sum(items) AS items, toUnixTimestamp64Milli(max(last_at)) AS last_ms,
       arraySort(groupUniqArrayIf(${maxServices})(service, service != '')) AS services,
       arraySort(groupUniqArrayIf(${maxSdks})((sdk_name, sdk_language, sdk_version), sdk_name != '')) AS sdks
     FROM arrivals
     WHERE workspace = {workspace:UInt32} AND project = {project:UInt32}${place.environment === undefined ? '' : ' AND environment = {environment:String}'}
     GROUP BY signal ORDER BY signal`,
    place.environment === undefined ? { workspace: place.workspace, project: place.project } : { ...place },
  );
  return rows.map(({ signal, items, last_ms, services, sdks }) => ({
    signal,
    items: Number(items),
    lastAt: new Date(Number(last_ms)),
    services,
    sdks: sdks.map(([name, language, version]) => ({ name, language, version })),
  }));
}
