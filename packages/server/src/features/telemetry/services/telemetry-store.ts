import type { ScopedTelemetry } from '../../../platform/scoped-telemetry.ts';

/** A service as seen in telemetry; projects are `projects.number`. */
export interface SeenService {
  readonly name: string;
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
  readonly signals: string[];
  readonly projects: number[];
  readonly environments: string[];
}

export interface ServiceScope {
  readonly workspace: number;
  /** The projects that the caller may see. */
  readonly projects: readonly number[];
  readonly environment: string | undefined;
}

interface Row {
  readonly name: string;
  /** 64-bit numbers are text if the store is configured so. */
  readonly first_ms: number | string;
  readonly last_ms: number | string;
  readonly signals: string[];
  readonly projects: number[];
  readonly environments: string[];
}

/** Services that have sent anything within the scope, by name. */
export async function listSeenServices(
  telemetry: ScopedTelemetry,
  scope: ServiceScope,
  options: { search: string | undefined; after: string | undefined; limit: number },
  signal: AbortSignal,
): Promise<SeenService[]> {
  const { search, after, limit } = options;
  return select(
    telemetry,
    scope,
    [
      ...(search === undefined || search === '' ? [] : ['positionCaseInsensitiveUTF8(service, {search:String}) > 0']),
      ...(after === undefined ? [] : ['service > {after:String}']),
    ],
    { search, after, limit },
    signal,
  );
}

export async function findSeenService(
  telemetry: ScopedTelemetry,
  scope: ServiceScope,
  name: string,
  signal: AbortSignal,
): Promise<SeenService | undefined> {
  const [service] = await select(telemetry, scope, ['service = {name:String}'], { name, limit: 1 }, signal);
  return service;
}

async function select(
  telemetry: ScopedTelemetry,
  scope: ServiceScope,
  conditions: readonly string[],
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<SeenService[]> {
  if (scope.projects.length === 0) return [];
  const where = [
    'workspace = {workspace:UInt32}',
    'project IN {projects:Array(UInt32)}',
    ...(scope.environment === undefined ? [] : ['environment = {environment:String}']),
    "service != ''",
    ...conditions,
  ];
  const { workspace, projects, environment } = scope;
  const rows = await telemetry.rows<Row>(
    { workspace, project: undefined, environment },
    `SELECT service AS name, toUnixTimestamp64Milli(min(first_at)) AS first_ms, toUnixTimestamp64Milli(max(last_at)) AS last_ms,
       arraySort(groupUniqArray(signal)) AS signals, arraySort(groupUniqArray(project)) AS projects,
       arraySort(groupUniqArrayIf(environment, environment != '')) AS environments
     FROM arrivals WHERE ${where.join(' AND ')} GROUP BY service ORDER BY service LIMIT {limit:UInt32}`,
    { ...params, projects },
    signal,
  );
  return rows.map(({ name, first_ms, last_ms, signals, projects, environments }) => ({
    name,
    firstSeenAt: new Date(Number(first_ms)),
    lastSeenAt: new Date(Number(last_ms)),
    signals,
    projects,
    environments,
  }));
}
