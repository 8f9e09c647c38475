import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { resolve } from 'node:path';
import { placeOf, type S3Settings } from './backup/place.ts';
import { backupSettings } from './backup/settings.ts';
import { ConfigError } from './config/error.ts';
import { type OidcConfig, readOidc, variablesOfProviders } from './config/oidc.ts';
import { processSettings } from './config/process-settings.ts';
import { givenVariables, isSecret, secretOfFile } from './config/secret-files.ts';
import { keyFilesIn, ownSecretKey, readKeyFile, secretKeyFiles } from './config/secret-key.ts';
import { alertSettings } from './features/alerting/alert-rules/settings.ts';
import { explanationSettings } from './features/alerting/explanations/settings.ts';
import { notifySettings } from './features/alerting/notifications/settings.ts';
import { annotationSettings } from './features/dashboards/annotations/settings.ts';
import { dashboardSettings } from './features/dashboards/dashboards/settings.ts';
import { batchSettings } from './features/flags/batches/settings.ts';
import { retentionSettings } from './features/identity/projects/settings.ts';
import { experimentSettings } from './features/judging/experiments/settings.ts';
import { metricSettings } from './features/judging/metrics/settings.ts';
import { replaySettings } from './features/judging/replay/settings.ts';
import { recordingRuleSettings } from './features/slos/recording-rules/settings.ts';
import { sloSettings } from './features/slos/slos/settings.ts';
import { mcpSettings } from './features/system/mcp/settings.ts';
import { selfTelemetrySettings } from './features/system/self-telemetry/settings.ts';
import { errorGroupSettings } from './features/telemetry/error-groups/settings.ts';
import { ingestSettings } from './features/telemetry/ingest/settings.ts';
import { prometheusSettings } from './features/telemetry/promql/settings.ts';
import { rollUpSettings } from './features/telemetry/roll-ups/settings.ts';
import { tailSettings } from './features/telemetry/tail/settings.ts';
import { httpSettings } from './http/settings.ts';
import { bodyShares, engineShare, groupLimit, memoryOf, recentPointsShare } from './memory-rules.ts';
import { isLoopback } from './platform/address.ts';
import { egressSettings } from './platform/egress/settings.ts';
import type { LaneShares } from './platform/gateway/index.ts';
import { type QuerySettings, querySettings } from './platform/gateway/settings.ts';
import { mailSettings } from './platform/mail/settings.ts';
import { messageOf } from './platform/message-of.ts';
import { fill, listSettings, type Settings as SettingGroup, type SettingsOf, schemaOf } from './platform/settings.ts';
import { walSettings } from './platform/wal/settings.ts';
import { jaegerSettings } from './protocols/jaeger/read/settings.ts';
import { lokiSettings } from './protocols/loki/read/settings.ts';
import { tempoSettings } from './protocols/tempo/read/settings.ts';

export { ConfigError } from './config/error.ts';
export type { Role } from './config/process-settings.ts';

/** Every setting. A feature and a part of the platform declares its own in `settings.ts`. */
export const settings = {
  ...processSettings,
  retention: retentionSettings,
  wal: walSettings,
  backups: backupSettings,
  ingestLimits: ingestSettings,
  http: httpSettings,
  query: querySettings,
  tails: tailSettings,
  prometheus: prometheusSettings,
  jaeger: jaegerSettings,
  tempo: tempoSettings,
  loki: lokiSettings,
  alerts: alertSettings,
  explanations: explanationSettings,
  notify: notifySettings,
  dashboards: dashboardSettings,
  annotations: annotationSettings,
  flagBatches: batchSettings,
  flagMetrics: metricSettings,
  experiments: experimentSettings,
  replay: replaySettings,
  slos: sloSettings,
  recordingRules: recordingRuleSettings,
  errorGroups: errorGroupSettings,
  rollUps: rollUpSettings,
  selfTelemetry: selfTelemetrySettings,
  mcp: mcpSettings,
  mail: mailSettings,
  egress: egressSettings,
};

/** The settings, and what follows from them together. */
export interface Config extends SettingsOf<typeof settings> {
  readonly signup: 'open' | 'invite';
  /** Files of the certificate of all listeners; undefined: they speak plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  readonly secretKey: Buffer;
  /** The files of the data directory that the key is in; none: it is in the environment. */
  readonly keyFiles: readonly string[];
  readonly memoryBytes: number;
  readonly engineMemoryBytes: number;
  /** `bodies`: bytes of requests in progress. */
  readonly ingestLimits: SettingsOf<typeof ingestSettings> & { readonly bodies: ReturnType<typeof bodyShares> };
  /** `recentBytes`: 0: no recent points are kept. */
  readonly query: QuerySettings & { readonly lanes: LaneShares; readonly recentBytes: number };
  readonly oidc: readonly OidcConfig[];
}

const variables = schemaOf(settings);

/** Read by the command line and by programs of the documentation, which may run in the same shell. */
const variablesOfOthers = /^FANION_(TOKEN|TOKEN_FILE|ENDPOINT|WORKSPACE|PROJECT|SDK_KEY|CHROMIUM|DEV_API|TEST_\w+)$/;

/** Unknown variables that begin with `FANION_`: a misspelled one would silently leave a default in place. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env).filter(
    (name) =>
      name.startsWith('FANION_') &&
      !(name in variables.shape) &&
      !variablesOfProviders.test(name) &&
      secretOfFile(name) === undefined &&
      !variablesOfOthers.test(name),
  );
}

/** What can be known of a server from its environment alone. */
export interface Settings
  extends Pick<
    Config,
    | 'host'
    | 'tlsCert'
    | 'port'
    | 'otlpHttpPort'
    | 'otlpGrpcPort'
    | 'dataDir'
    | 'databaseUrl'
    | 'clickhouseUrl'
    | 'wal'
    | 'metricsToken'
  > {
  /** The key file of a server without `FANION_SECRET_KEY`. */
  readonly secretKeyFile: string | undefined;
  /** Bytes of all processes: configured, used, and the limits of the machine and of the control group. */
  readonly memory: {
    readonly configured: number | undefined;
    readonly used: number;
    readonly machine: number;
    readonly group: number | undefined;
  };
}

/** Reads and checks the environment as `readConfig` does, and creates nothing. @throws ConfigError */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const { memoryBytes: configured, secretKey, ...set } = readGroup(settings, givenVariables(env), variables);
  const dataDir = resolve(set.dataDir);
  const limits = { machine: totalmem(), group: readGroupLimit() };
  return {
    ...set,
    dataDir,
    secretKeyFile: secretKey === undefined ? secretKeyFiles(dataDir).current : undefined,
    memory: { configured, used: memoryOf(configured, limits), ...limits },
  };
}

/** What opens a bucket, for a command without a server. @throws ConfigError */
export function readS3Settings(env: Readonly<Record<string, string | undefined>>): S3Settings {
  return readOnly(backupSettings.s3, env);
}

const { databaseUrl, clickhouseUrl, clickhouseCluster, secretKey } = processSettings;
const storeSettings = { databaseUrl, clickhouseUrl, clickhouseCluster, secretKey };

/** Where the stores of a server are that is not in the data directory of a command, and the key of their secrets. @throws ConfigError */
export function readStoreSettings(env: Readonly<Record<string, string | undefined>>): SettingsOf<typeof storeSettings> {
  return readOnly(storeSettings, env);
}

/** Reads no other variables. */
function readOnly<Group extends SettingGroup>(
  group: Group,
  env: Readonly<Record<string, string | undefined>>,
): SettingsOf<Group> {
  const given = listSettings(group).flatMap(({ variable }) => [variable, `${variable}_FILE`]);
  return readGroup(group, givenVariables(Object.fromEntries(given.map((variable) => [variable, env[variable]]))));
}

/** @throws ConfigError */
function readGroup<Group extends SettingGroup>(
  group: Group,
  given: Readonly<Record<string, string>>,
  schema = schemaOf(group),
): SettingsOf<Group> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return fill(group, parsed.data);
  const problems = parsed.error.issues.map(({ path, message }) => {
    const variable = String(path[0]);
    const value = isSecret(variable) ? '' : ` (given: ${JSON.stringify(given[variable])})`;
    return `${path.join('.')}: ${message}${value}`;
  });
  throw new ConfigError(problems.join('\n'));
}

/**
 * Reads and checks the environment, of which this file is the only reader. Creates the data directory, and a secret key in it if none is
 * given.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = givenVariables(env);
  const set = readGroup(settings, given, variables);
  if (set.databaseUrl !== undefined && set.secretKey === undefined)
    throw new ConfigError(
      'FANION_SECRET_KEY: DATABASE_URL is set, so other servers may share this control plane: give all of them the same secret key (at least 32 characters)',
    );
  if (set.clickhouseCluster !== undefined && set.clickhouseUrl === undefined)
    throw new ConfigError('CLICKHOUSE_CLUSTER: needs CLICKHOUSE_URL, the address of a server of that cluster');
  if (set.coldVolume !== undefined && set.clickhouseUrl === undefined)
    throw new ConfigError('CLICKHOUSE_COLD_VOLUME: needs CLICKHOUSE_URL; the embedded store has one disk');
  if (set.backups.directory !== undefined && set.clickhouseCluster !== undefined)
    throw new ConfigError(
      'FANION_BACKUP_DIR: a cluster of ClickHouse servers is not backed up; use the backups of PostgreSQL and ClickHouse (docs/guides/running-with-postgres-and-clickhouse.md#very-large-stores-and-clusters)',
    );
  refuseUnknownPlace(set.backups);
  const tls = tlsOf(set);
  const dataDir = resolve(set.dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const memoryBytes = memoryOf(set.memoryBytes, { machine: totalmem(), group: readGroupLimit() });
  const isLocal = isLoopback(set.host) && (set.baseUrl === undefined || isLoopback(new URL(set.baseUrl).hostname));
  return {
    ...set,
    dataDir,
    tls,
    signup: set.signup ?? (isLocal ? 'open' : 'invite'),
    secretKey: set.secretKey ?? ownSecretKey(dataDir),
    keyFiles: set.secretKey === undefined ? keyFilesIn(dataDir) : [],
    previousSecretKey:
      set.previousSecretKey ??
      (set.secretKey === undefined ? readKeyFile(secretKeyFiles(dataDir).previous) : undefined),
    memoryBytes,
    engineMemoryBytes: set.engineMemoryBytes ?? engineShare(memoryBytes),
    retention: {
      default: set.retention.default,
      allowed: [...new Set([...set.retention.allowed, set.retention.default])].sort((a, b) => a - b),
    },
    ingestLimits: { ...set.ingestLimits, bodies: bodyShares(memoryBytes) },
    query: {
      ...set.query,
      lanes: lanesOf(set.query, set.clickhouseUrl !== undefined),
      recentBytes: set.query.recentBytes ?? recentPointsShare(memoryBytes),
    },
    oidc: readOidc(given),
  };
}

/** The message repeats nothing of the variable: somebody may have put credentials into it. */
function refuseUnknownPlace({ directory, s3 }: SettingsOf<typeof backupSettings>): void {
  try {
    if (directory !== undefined) placeOf(directory, s3);
  } catch (error) {
    throw new ConfigError(`FANION_BACKUP_DIR: ${messageOf(error)}`, { cause: error });
  }
}

function tlsOf({ tlsCert: cert, tlsKey: key, evaluationProcess }: SettingsOf<typeof processSettings>): Config['tls'] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new ConfigError('FANION_TLS_CERT and FANION_TLS_KEY: set both, or none of them');
  if (evaluationProcess)
    throw new ConfigError(
      'FANION_TLS_CERT: not together with FANION_EVALUATION_PROCESS=on, whose process hands connections over; end TLS in a proxy in front of it',
    );
  return { cert: resolve(cert), key: resolve(key) };
}

/**
 * All lanes together fit into the embedded store, which runs 15 queries at the same time
 * (packages/embedded/src/telemetry/child.ts); with ClickHouse the interactive lane grows with the limit of one workspace.
 */
function lanesOf({ lanes, concurrency }: QuerySettings, isExternal: boolean): LaneShares {
  return { interactive: isExternal ? concurrency + 2 : 6, dashboard: 3, alert: 2, background: 1, ...lanes };
}

/** The memory limit of this process's control group: version 2, else version 1. */
function readGroupLimit(): number | undefined {
  for (const file of ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes'])
    if (existsSync(file)) return groupLimit(readFileSync(file, 'utf8'));
  return undefined;
}
