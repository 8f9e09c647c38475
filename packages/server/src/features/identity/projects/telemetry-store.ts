import { inScope, type ScopedTelemetry } from '../../../platform/scoped-telemetry.ts';
import type { Arrivals, Signal } from './telemetry-rules.ts';

const maxServices = 100;
const maxSdks = 50;

interface Row {
  readonly signal: Signal;
  /** 64-bit numbers are text if the store is configured so. */
  readonly items: number | string;
  readonly last_ms: number | string;
  readonly services: string[];
  readonly sdks: [name: string, language: string, version: string][];
}

/** What has arrived for a project, or for one environment of it, by signal. */
export async function findArrivals(
  telemetry: ScopedTelemetry,
  place: { workspace: number; project: number; environment: string | undefined },
  signal: AbortSignal,
): Promise<Arrivals[]> {
  const rows = await telemetry.rows<Row>(
    place,
    `SELECT signal, sum(items) AS items, toUnixTimestamp64Milli(max(last_at)) AS last_ms,
       arraySort(groupUniqArrayIf(${maxServices})(service, service != '')) AS services,
       arraySort(groupUniqArrayIf(${maxSdks})((sdk_name, sdk_language, sdk_version), sdk_name != '')) AS sdks
     FROM arrivals
     WHERE ${inScope(place)}
     GROUP BY signal ORDER BY signal`,
    {},
    signal,
  );
  return rows.map(({ signal, items, last_ms, services, sdks }) => ({
    signal,
    items: Number(items),
    lastAt: new Date(Number(last_ms)),
    services,
    sdks: sdks.map(([name, language, version]) => ({ name, language, version })),
  }));
}
