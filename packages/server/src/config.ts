import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { isOneLine } from '@fanion/contract';
import { z } from 'zod';
import { ConfigError } from './config/error.ts';
import { type OidcConfig, readOidc, variablesOfProviders } from './config/oidc.ts';
import { givenVariables, isSecret, secretOfFile } from './config/secret-files.ts';
import { ownSecretKey, readKeyFile, secretKeyFiles } from './config/secret-key.ts';
import type { BodyRates } from './http/body-budgets.ts';
import { bodyShares, engineShare, groupLimit, leastMemory, memoryOf, recentPointsShare } from './memory-rules.ts';
import { isLoopback } from './platform/address.ts';
import { isRange } from './platform/egress/index.ts';
import type { LaneShares } from './platform/gateway/index.ts';

export { ConfigError } from './config/error.ts';

/** The only place that reads `process.env`. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** 0: off. */
  readonly otlpHttpPort: number;
  readonly otlpGrpcPort: number;
  readonly dataDir: string;
  /** The address that browsers use, without a trailing slash; undefined: that of the Host header. */
  readonly baseUrl: string | undefined;
  /** Files of the certificate of all listeners; undefined: they speak plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  readonly signup: 'open' | 'invite';
  readonly secretKey: Buffer;
  /** The key before it, which still reads stored secrets. */
  readonly previousSecretKey: Buffer | undefined;
  readonly databaseUrl: string | undefined;
  readonly clickhouseUrl: string | undefined;
  /** The ClickHouse cluster that stores the telemetry, as named in `remote_servers`; undefined: a single server. */
  readonly clickhouseCluster: string | undefined;
  readonly roles: ReadonlySet<Role>;
  /** Evaluates flags in a separate process, which owns the port. */
  readonly evaluationProcess: boolean;
  readonly engineMemoryBytes: number;
  /** Retention classes of telemetry in days, ascending, including `default`. */
  readonly retention: { readonly default: number; readonly allowed: readonly number[] };
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly wal: { readonly maxBytes: number; readonly minFreeBytes: number; readonly fsync: boolean };
  /** Per project, on each server. */
  readonly ingestLimits: {
    /** Bytes of requests in progress, also of all projects together. */
    readonly bodies: { readonly total: number; readonly project: number };
    readonly itemsPerSecond: number;
    readonly bytesPerSecond: number;
    readonly seriesPerDay: number;
    /** Acknowledged requests that are remembered; of all projects. */
    readonly repeats: number;
  };
  readonly metricsToken: string | undefined;
  /** Requests per minute of one caller or address on the JSON API. Evaluation and ingest have their own limits. */
  readonly requestsPerMinute: number;
  readonly maxBodyBytes: number;
  /** What the bodies of one sender may use of the JSON API and of evaluation. */
  readonly bodyRates: BodyRates;
  readonly query: {
    /** Interactive queries of one workspace that run at the same time. */
    readonly concurrency: number;
    /** Queries that run at the same time on this server, by lane. */
    readonly lanes: LaneShares;
    /** Byte limits of results and of the cache. */
    readonly bytes: { readonly result: number; readonly row: number; readonly export: number; readonly cache: number };
    /** Longest run of a query, unless its caller sets another limit. */
    readonly seconds: number;
    /** Limit of compiling one query, in milliseconds. */
    readonly compileMs: number;
    /** Bytes of recent points in memory; 0: none are kept. */
    readonly recentBytes: number;
  };
  readonly alerts: {
    /** Rules of one workspace. */
    readonly rules: number;
    /** Instances of one rule. */
    readonly instances: number;
    /** Of one workspace, by the intervals of its rules. */
    readonly evaluationsPerSecond: number;
    /** Evaluations at once on this server. */
    readonly concurrency: number;
    /** Longest run of a query of a rule, and of a query that explains an alert. */
    readonly querySeconds: number;
    readonly explainSeconds: number;
  };
  readonly notify: {
    /** Messages under way at once on this server, and those of them to one channel. */
    readonly concurrency: number;
    readonly channelConcurrency: number;
    /** Alerts of one message. */
    readonly maxAlerts: number;
    /** For how long a message is tried. */
    readonly triedForMs: number;
    /** Alerts of one message that carry their explanation, and how long the messages of one look wait for them. */
    readonly explained: number;
    readonly explainMs: number;
    /** For how long messages that are finished are kept. */
    readonly keptDays: number;
  };
  readonly dashboards: {
    readonly limits: {
      readonly perWorkspace: number;
      /** Panels of one dashboard. */
      readonly panels: number;
      /** Versions kept of one dashboard. */
      readonly versions: number;
      /** Size of one dashboard as JSON. */
      readonly bytes: number;
    };
    /** Rows of one panel, and the panels of one request that are asked at once. */
    readonly data: { readonly rows: number; readonly atOnce: number };
    /** Snapshots of one workspace, the data of one, and the longest time that one is kept. */
    readonly snapshots: { readonly perWorkspace: number; readonly bytes: number; readonly days: number };
    /** Size of a document that is fetched from a URL. */
    readonly importBytes: number;
  };
  /** Annotations that people have written, of one workspace. */
  readonly annotations: { readonly perWorkspace: number };
  /** Metrics and experiments of one project. */
  readonly judging: { readonly metrics: number; readonly experiments: number };
  readonly slos: {
    /** SLOs of one workspace. */
    readonly perWorkspace: number;
    /** How far back events are counted again once a day, for data that came late. */
    readonly recountDays: number;
  };
  /** Units of one replay of a proposed targeting. */
  readonly replay: { readonly units: number };
  readonly errorGroups: {
    /** Different errors of one window. */
    readonly groups: number;
    /** Errors of one project that people gave a state. */
    readonly states: number;
    /** How long before a window errors are looked for, to know when they were first seen. */
    readonly lookBackDays: number;
  };
  readonly recordingRules: {
    /** Recording rules of one workspace. */
    readonly perWorkspace: number;
    /** Series that a rule writes in one step. */
    readonly series: number;
  };
  /** Whether this server rolls metrics up. Roll-ups that exist are read anyway. */
  readonly metricRollUps: boolean;
  readonly trustProxy: boolean;
  readonly snapshotEveryMs: number;
  /** How long requests are answered after SIGTERM, while the server is not ready any more. */
  readonly drainMs: number;
  readonly mail: { readonly smtpUrl: string | undefined; readonly from: string };
  /** Requests to addresses that users give. */
  readonly egress: { readonly allow: readonly string[]; readonly timeoutMs: number; readonly answerBytes: number };
  readonly oidc: readonly OidcConfig[];
}

export type Role = 'api' | 'ingest' | 'flags' | 'jobs';

const port = z.coerce.number().int().min(0).max(65_535);
const isPlain = [isOneLine, 'no control characters or line breaks'] as const;
const webAddress = z
  .url({ protocol: /^https?$/ })
  .refine(...isPlain)
  .transform((url) => url.replace(/\/+$/, ''));
const mebibyte = 1024 ** 2;
const gibibyte = 1024 ** 3;

const days = z.coerce.number().int().min(1).max(3650);
const size = z.string().regex(/^\d+(\.\d+)?(MiB|GiB)$/, 'such as 4GiB');

/** A number of bytes, or one with a unit. */
function bytes({ least, most, otherwise }: { least: number; most: number; otherwise: number }) {
  return z
    .union([z.coerce.number().int(), size.transform(bytesOf)])
    .pipe(z.number().min(least).max(most))
    .default(otherwise);
}

const Variables = z.object({
  FANION_HOST: z.string().min(1).default('127.0.0.1'),
  FANION_PORT: port.default(8080),
  FANION_OTLP_HTTP_PORT: port.default(4318),
  FANION_OTLP_GRPC_PORT: port.default(4317),
  FANION_DATA_DIR: z.string().min(1).default('./data'),
  FANION_BASE_URL: webAddress.optional(),
  FANION_TLS_CERT: z.string().optional(),
  FANION_TLS_KEY: z.string().optional(),
  FANION_SIGNUP: z.enum(['open', 'invite']).optional(),
  FANION_SECRET_KEY: z.string().min(32, 'at least 32 characters').optional(),
  FANION_SECRET_KEY_PREVIOUS: z.string().min(32, 'at least 32 characters').optional(),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'postgres://…')
    .optional(),
  CLICKHOUSE_URL: z
    .url({ protocol: /^https?$/ })
    .refine(...isPlain)
    .optional(),
  CLICKHOUSE_CLUSTER: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_-]*$/, 'a name as in remote_servers')
    .optional(),
  FANION_ROLE: z
    .string()
    .regex(/^(all|(api|ingest|flags|jobs)(,(api|ingest|flags|jobs))*)$/, 'all, or some of api,ingest,flags,jobs')
    .default('all'),
  FANION_MEMORY: size.transform(bytesOf).pipe(z.number().min(leastMemory, 'at least 512MiB')).optional(),
  FANION_ENGINE_MEMORY: size.optional(),
  FANION_RETENTION_DAYS: days.default(30),
  FANION_RETENTION_CLASSES: z
    .string()
    .regex(/^\d+(,\d+){0,9}$/, 'at most ten numbers of days, such as 7,30,90')
    .transform((text) => text.split(',').map(Number))
    .pipe(z.array(z.number().int().min(1).max(3650)))
    .default([3, 7, 15, 30, 90, 400]),
  FANION_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  FANION_WAL_MAX_BYTES: z
    .union([z.coerce.number().int(), size.transform(bytesOf)])
    .pipe(z.number().min(64 * 1024 ** 2, 'at least 64MiB'))
    .default(8 * gibibyte),
  FANION_MIN_FREE_BYTES: z
    .union([z.coerce.number().int(), size.transform(bytesOf)])
    .pipe(z.number().min(64 * 1024 ** 2, 'at least 64MiB'))
    .default(512 * 1024 ** 2),
  FANION_EVALUATION_PROCESS: z.enum(['on', 'off']).default('off'),
  FANION_WAL_FSYNC: z.enum(['on', 'off']).default('on'),
  FANION_PROJECT_ITEMS_PER_SECOND: z.coerce.number().int().min(1).default(1_000_000),
  FANION_PROJECT_BYTES_PER_SECOND: z.coerce
    .number()
    .int()
    .min(1024)
    .default(256 * 1024 ** 2),
  FANION_INGEST_REPEATS: z.coerce.number().int().min(0).max(10_000_000).default(100_000),
  FANION_PROJECT_SERIES_PER_DAY: z.coerce.number().int().min(1).max(10_000_000).default(1_000_000),
  FANION_METRICS_TOKEN: z.string().min(16, 'at least 16 characters').optional(),
  FANION_REQUESTS_PER_MINUTE: z.coerce.number().int().min(10).default(6000),
  FANION_MAX_BODY_BYTES: z.coerce
    .number()
    .int()
    .min(65_536)
    .default(8 * 1024 ** 2),
  FANION_ANONYMOUS_BYTES_PER_SECOND: z.coerce.number().int().min(1_024).default(262_144),
  FANION_ANONYMOUS_MS_PER_SECOND: z.coerce.number().int().min(1).max(1_000).default(100),
  FANION_CALLER_BYTES_PER_SECOND: z.coerce.number().int().min(1_024).default(8_388_608),
  FANION_CALLER_MS_PER_SECOND: z.coerce.number().int().min(1).max(1_000).default(500),
  FANION_QUERY_CONCURRENCY: z.coerce.number().int().min(1).max(100).default(Math.max(4, availableParallelism())),
  FANION_QUERY_LANES: z
    .string()
    .regex(/^(interactive|dashboard|alert|background)=[1-9]\d?(,(interactive|dashboard|alert|background)=[1-9]\d?)*$/, {
      error: 'such as interactive=6,dashboard=3,alert=2,background=1',
    })
    .optional(),
  FANION_QUERY_RESULT_BYTES: bytes({ least: mebibyte, most: 48 * mebibyte, otherwise: 16 * mebibyte }),
  FANION_QUERY_ROW_BYTES: bytes({ least: 65_536, most: 8 * mebibyte, otherwise: 4 * mebibyte }),
  FANION_QUERY_EXPORT_BYTES: bytes({ least: mebibyte, most: 1024 * gibibyte, otherwise: 4 * gibibyte }),
  FANION_QUERY_CACHE_BYTES: bytes({ least: 0, most: 4 * gibibyte, otherwise: 32 * mebibyte }),
  FANION_QUERY_RECENT_BYTES: z
    .union([z.coerce.number().int(), size.transform(bytesOf)])
    .pipe(
      z
        .number()
        .min(0)
        .max(64 * gibibyte),
    )
    .optional(),
  FANION_QUERY_SECONDS: z.coerce.number().int().min(1).max(50).default(30),
  FANION_QUERY_COMPILE_MS: z.coerce.number().int().min(100).max(30_000).default(5_000),
  FANION_ALERT_RULES: z.coerce.number().int().min(1).max(100_000).default(10_000),
  FANION_ALERT_INSTANCES: z.coerce.number().int().min(1).max(10_000).default(1_000),
  FANION_ALERT_EVALUATIONS_PER_SECOND: z.coerce.number().int().min(1).max(10_000).default(1_000),
  FANION_ALERT_CONCURRENCY: z.coerce.number().int().min(1).max(256).default(16),
  FANION_ALERT_QUERY_SECONDS: z.coerce.number().int().min(1).max(60).default(20),
  FANION_ALERT_EXPLAIN_SECONDS: z.coerce.number().int().min(1).max(60).default(10),
  FANION_NOTIFY_CONCURRENCY: z.coerce.number().int().min(1).max(256).default(16),
  FANION_NOTIFY_CHANNEL_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(4),
  FANION_NOTIFY_MAX_ALERTS: z.coerce.number().int().min(1).max(1_000).default(200),
  FANION_NOTIFY_RETRY_MINUTES: z.coerce.number().int().min(1).max(1_440).default(60),
  FANION_DASHBOARDS: z.coerce.number().int().min(1).max(100_000).default(1_000),
  FANION_DASHBOARD_PANELS: z.coerce.number().int().min(1).max(1_000).default(200),
  FANION_DASHBOARD_VERSIONS: z.coerce.number().int().min(1).max(10_000).default(500),
  FANION_DASHBOARD_BYTES: bytes({ least: 65_536, most: 8 * mebibyte, otherwise: 512 * 1024 }),
  FANION_DASHBOARD_PANEL_ROWS: z.coerce.number().int().min(100).max(100_000).default(10_000),
  FANION_DASHBOARD_PANELS_AT_ONCE: z.coerce.number().int().min(1).max(100).default(2),
  FANION_DASHBOARD_SNAPSHOTS: z.coerce.number().int().min(1).max(10_000).default(500),
  FANION_DASHBOARD_SNAPSHOT_BYTES: bytes({ least: 65_536, most: 64 * mebibyte, otherwise: 16 * mebibyte }),
  FANION_DASHBOARD_SNAPSHOT_DAYS: z.coerce.number().int().min(1).max(3_650).default(90),
  FANION_DASHBOARD_IMPORT_BYTES: bytes({ least: 65_536, most: 8 * mebibyte, otherwise: 8 * mebibyte }),
  FANION_NOTIFY_EXPLAINED: z.coerce.number().int().min(0).max(20).default(3),
  FANION_NOTIFY_EXPLAIN_MS: z.coerce.number().int().min(1).max(20_000).default(8_000),
  FANION_NOTIFY_KEEP_DAYS: z.coerce.number().int().min(1).max(400).default(30),
  FANION_ANNOTATIONS: z.coerce.number().int().min(1).max(1_000_000).default(100_000),
  FANION_FLAG_METRICS: z.coerce.number().int().min(1).max(10_000).default(500),
  FANION_EXPERIMENTS: z.coerce.number().int().min(1).max(100_000).default(1_000),
  FANION_SLOS: z.coerce.number().int().min(1).max(100_000).default(1_000),
  FANION_METRIC_ROLLUPS: z.enum(['on', 'off']).default('on'),
  FANION_SLO_RECOUNT_DAYS: z.coerce.number().int().min(1).max(30).default(7),
  FANION_REPLAY_UNITS: z.coerce.number().int().min(100).max(100_000).default(10_000),
  FANION_ERROR_GROUPS: z.coerce.number().int().min(10).max(100_000).default(10_000),
  FANION_ERROR_STATES: z.coerce.number().int().min(1).max(100_000).default(10_000),
  FANION_ERROR_LOOK_BACK_DAYS: z.coerce.number().int().min(0).max(30).default(7),
  FANION_RECORDING_RULES: z.coerce.number().int().min(1).max(100_000).default(1_000),
  FANION_RECORDING_RULE_SERIES: z.coerce.number().int().min(1).max(100_000).default(10_000),
  FANION_TRUST_PROXY: z.enum(['true', 'false']).default('false'),
  FANION_DRAIN_SECONDS: z.coerce.number().min(0).max(600).default(5),
  FANION_SNAPSHOT_MINUTES: z.coerce.number().min(0.01).max(1440).default(10),
  FANION_SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .refine(...isPlain)
    .optional(),
  FANION_MAIL_FROM: z.string().default('Fanion <fanion@localhost>'),
  FANION_EGRESS_ALLOW: z
    .string()
    .transform((text) => text.split(',').map((range) => range.trim()))
    .pipe(z.array(z.string().refine(isRange, 'ranges of addresses, such as 10.0.0.0/8,fd00::/8')))
    .default([]),
  FANION_EGRESS_TIMEOUT_MS: z.coerce.number().int().min(1_000).max(60_000).default(10_000),
  FANION_EGRESS_ANSWER_BYTES: z.coerce.number().int().min(1_024).max(1_048_576).default(65_536),
});

/** Read by the command line and by programs of the documentation, which may run in the same shell. */
const variablesOfOthers = /^FANION_(TOKEN|ENDPOINT|WORKSPACE|PROJECT|SDK_KEY|CHROMIUM|DEV_API|TEST_\w+)$/;

/** Unknown variables that begin with `FANION_`: a misspelled one would silently leave a default in place. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env).filter(
    (name) =>
      name.startsWith('FANION_') &&
      !(name in Variables.shape) &&
      !variablesOfProviders.test(name) &&
      secretOfFile(name) === undefined &&
      !variablesOfOthers.test(name),
  );
}

/** Reads and checks the environment. Creates the data directory, and a secret key in it if none is given. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = givenVariables(env);
  const parsed = Variables.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues
        .map(({ path, message }) => {
          const variable = String(path[0]);
          const value = isSecret(variable) ? '' : ` (given: ${JSON.stringify(given[variable])})`;
          return `${path.join('.')}: ${message}${value}`;
        })
        .join('\n'),
    );
  }
  const v = parsed.data;
  if (v.DATABASE_URL !== undefined && v.FANION_SECRET_KEY === undefined)
    throw new ConfigError(
      'FANION_SECRET_KEY: DATABASE_URL is set, so other servers may share this control plane: give all of them the same secret key (at least 32 characters)',
    );
  if (v.CLICKHOUSE_CLUSTER !== undefined && v.CLICKHOUSE_URL === undefined)
    throw new ConfigError('CLICKHOUSE_CLUSTER: needs CLICKHOUSE_URL, the address of a server of that cluster');
  const tls = tlsOf(v);
  const dataDir = resolve(v.FANION_DATA_DIR);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const memory = memoryOf(v.FANION_MEMORY, { machine: totalmem(), group: readGroupLimit() });
  return {
    host: v.FANION_HOST,
    port: v.FANION_PORT,
    otlpHttpPort: v.FANION_OTLP_HTTP_PORT,
    otlpGrpcPort: v.FANION_OTLP_GRPC_PORT,
    dataDir,
    baseUrl: v.FANION_BASE_URL,
    tls,
    signup:
      v.FANION_SIGNUP ??
      (isLoopback(v.FANION_HOST) && (v.FANION_BASE_URL === undefined || isLoopback(new URL(v.FANION_BASE_URL).hostname))
        ? 'open'
        : 'invite'),
    secretKey: v.FANION_SECRET_KEY !== undefined ? Buffer.from(v.FANION_SECRET_KEY) : ownSecretKey(dataDir),
    previousSecretKey:
      v.FANION_SECRET_KEY_PREVIOUS !== undefined
        ? Buffer.from(v.FANION_SECRET_KEY_PREVIOUS)
        : v.FANION_SECRET_KEY === undefined
          ? readKeyFile(secretKeyFiles(dataDir).previous)
          : undefined,
    databaseUrl: v.DATABASE_URL,
    clickhouseUrl: v.CLICKHOUSE_URL,
    clickhouseCluster: v.CLICKHOUSE_CLUSTER,
    roles: new Set(v.FANION_ROLE === 'all' ? ['api', 'ingest', 'flags', 'jobs'] : (v.FANION_ROLE.split(',') as Role[])),
    engineMemoryBytes: v.FANION_ENGINE_MEMORY !== undefined ? bytesOf(v.FANION_ENGINE_MEMORY) : engineShare(memory),
    retention: {
      default: v.FANION_RETENTION_DAYS,
      allowed: [...new Set([...v.FANION_RETENTION_CLASSES, v.FANION_RETENTION_DAYS])].sort((a, b) => a - b),
    },
    evaluationProcess: v.FANION_EVALUATION_PROCESS === 'on',
    logLevel: v.FANION_LOG_LEVEL,
    wal: {
      maxBytes: v.FANION_WAL_MAX_BYTES,
      minFreeBytes: v.FANION_MIN_FREE_BYTES,
      fsync: v.FANION_WAL_FSYNC === 'on',
    },
    ingestLimits: {
      bodies: bodyShares(memory),
      itemsPerSecond: v.FANION_PROJECT_ITEMS_PER_SECOND,
      bytesPerSecond: v.FANION_PROJECT_BYTES_PER_SECOND,
      seriesPerDay: v.FANION_PROJECT_SERIES_PER_DAY,
      repeats: v.FANION_INGEST_REPEATS,
    },
    metricsToken: v.FANION_METRICS_TOKEN,
    requestsPerMinute: v.FANION_REQUESTS_PER_MINUTE,
    maxBodyBytes: v.FANION_MAX_BODY_BYTES,
    bodyRates: {
      anonymous: {
        bytesPerSecond: v.FANION_ANONYMOUS_BYTES_PER_SECOND,
        millisecondsPerSecond: v.FANION_ANONYMOUS_MS_PER_SECOND,
      },
      caller: {
        bytesPerSecond: v.FANION_CALLER_BYTES_PER_SECOND,
        millisecondsPerSecond: v.FANION_CALLER_MS_PER_SECOND,
      },
    },
    query: {
      concurrency: v.FANION_QUERY_CONCURRENCY,
      lanes: lanesOf(v.FANION_QUERY_LANES, v.CLICKHOUSE_URL === undefined ? 6 : v.FANION_QUERY_CONCURRENCY + 2),
      bytes: {
        result: v.FANION_QUERY_RESULT_BYTES,
        row: v.FANION_QUERY_ROW_BYTES,
        export: v.FANION_QUERY_EXPORT_BYTES,
        cache: v.FANION_QUERY_CACHE_BYTES,
      },
      seconds: v.FANION_QUERY_SECONDS,
      compileMs: v.FANION_QUERY_COMPILE_MS,
      recentBytes: v.FANION_QUERY_RECENT_BYTES ?? recentPointsShare(memory),
    },
    alerts: {
      rules: v.FANION_ALERT_RULES,
      instances: v.FANION_ALERT_INSTANCES,
      evaluationsPerSecond: v.FANION_ALERT_EVALUATIONS_PER_SECOND,
      concurrency: v.FANION_ALERT_CONCURRENCY,
      querySeconds: v.FANION_ALERT_QUERY_SECONDS,
      explainSeconds: v.FANION_ALERT_EXPLAIN_SECONDS,
    },
    notify: {
      concurrency: v.FANION_NOTIFY_CONCURRENCY,
      channelConcurrency: v.FANION_NOTIFY_CHANNEL_CONCURRENCY,
      maxAlerts: v.FANION_NOTIFY_MAX_ALERTS,
      triedForMs: v.FANION_NOTIFY_RETRY_MINUTES * 60_000,
      explained: v.FANION_NOTIFY_EXPLAINED,
      explainMs: v.FANION_NOTIFY_EXPLAIN_MS,
      keptDays: v.FANION_NOTIFY_KEEP_DAYS,
    },
    dashboards: {
      limits: {
        perWorkspace: v.FANION_DASHBOARDS,
        panels: v.FANION_DASHBOARD_PANELS,
        versions: v.FANION_DASHBOARD_VERSIONS,
        bytes: v.FANION_DASHBOARD_BYTES,
      },
      data: { rows: v.FANION_DASHBOARD_PANEL_ROWS, atOnce: v.FANION_DASHBOARD_PANELS_AT_ONCE },
      snapshots: {
        perWorkspace: v.FANION_DASHBOARD_SNAPSHOTS,
        bytes: v.FANION_DASHBOARD_SNAPSHOT_BYTES,
        days: v.FANION_DASHBOARD_SNAPSHOT_DAYS,
      },
      importBytes: v.FANION_DASHBOARD_IMPORT_BYTES,
    },
    metricRollUps: v.FANION_METRIC_ROLLUPS === 'on',
    annotations: { perWorkspace: v.FANION_ANNOTATIONS },
    judging: { metrics: v.FANION_FLAG_METRICS, experiments: v.FANION_EXPERIMENTS },
    slos: { perWorkspace: v.FANION_SLOS, recountDays: v.FANION_SLO_RECOUNT_DAYS },
    replay: { units: v.FANION_REPLAY_UNITS },
    errorGroups: {
      groups: v.FANION_ERROR_GROUPS,
      states: v.FANION_ERROR_STATES,
      lookBackDays: v.FANION_ERROR_LOOK_BACK_DAYS,
    },
    recordingRules: { perWorkspace: v.FANION_RECORDING_RULES, series: v.FANION_RECORDING_RULE_SERIES },
    trustProxy: v.FANION_TRUST_PROXY === 'true',
    drainMs: v.FANION_DRAIN_SECONDS * 1_000,
    snapshotEveryMs: v.FANION_SNAPSHOT_MINUTES * 60_000,
    mail: { smtpUrl: v.FANION_SMTP_URL, from: v.FANION_MAIL_FROM },
    egress: {
      allow: v.FANION_EGRESS_ALLOW,
      timeoutMs: v.FANION_EGRESS_TIMEOUT_MS,
      answerBytes: v.FANION_EGRESS_ANSWER_BYTES,
    },
    oidc: readOidc(given),
  };
}

function tlsOf(v: z.infer<typeof Variables>): Config['tls'] {
  const { FANION_TLS_CERT: cert, FANION_TLS_KEY: key } = v;
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new ConfigError('FANION_TLS_CERT and FANION_TLS_KEY: set both, or none of them');
  if (v.FANION_EVALUATION_PROCESS === 'on')
    throw new ConfigError(
      'FANION_TLS_CERT: not together with FANION_EVALUATION_PROCESS=on, whose process hands connections over; end TLS in a proxy in front of it',
    );
  return { cert: resolve(cert), key: resolve(key) };
}

/**
 * @param interactive the default share of that lane. All lanes together fit into the embedded store, which runs 15
 *   queries at the same time (packages/embedded/src/telemetry/child.ts); with ClickHouse it grows with the limit of one
 *   workspace.
 */
function lanesOf(given: string | undefined, interactive: number): LaneShares {
  const shares = new Map(
    (given ?? '').split(',').map((share): [string, number] => {
      const [lane = '', count] = share.split('=');
      return [lane, Number(count)];
    }),
  );
  return {
    interactive: shares.get('interactive') ?? interactive,
    dashboard: shares.get('dashboard') ?? 3,
    alert: shares.get('alert') ?? 2,
    background: shares.get('background') ?? 1,
  };
}

function bytesOf(text: string): number {
  return Math.round(Number.parseFloat(text) * (text.endsWith('GiB') ? gibibyte : 1024 ** 2));
}

/** The memory limit of this process's control group: version 2, else version 1. */
function readGroupLimit(): number | undefined {
  for (const file of ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes'])
    if (existsSync(file)) return groupLimit(readFileSync(file, 'utf8'));
  return undefined;
}
