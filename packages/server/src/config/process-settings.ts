import { z } from 'zod';
import { leastMemory } from '../memory-rules.ts';
import { address, count, isOn, minutesInMs, onOff, secondsInMs, setting, size, text } from '../platform/settings.ts';
import { urlsOf } from '../platform/url-hosts.ts';

export type Role = 'api' | 'ingest' | 'flags' | 'jobs';

const port = count(0, 65_535);
const number = (least: number, most: number) => z.coerce.number().min(least).max(most);
const cluster = text(/^[A-Za-z_][A-Za-z0-9_-]*$/, 'a name as in remote_servers');
const coldVolume = text(/^\w+\.\w+$/, 'policy.volume').transform((given) => {
  const [policy = '', volume = ''] = given.split('.');
  return { policy, volume };
});
const isTrue = (given: string) => given === 'true';
const web = address(/^https?$/, 'an http or https address');
const webHosts = z
  .string()
  .refine((given) => urlsOf(given).every((url) => web.safeParse(url).success), 'an http or https address')
  .describe('an http or https address');
const withoutSlash = (url: string) => url.replace(/\/+$/, '');
const secretKey = z
  .string()
  .min(32, 'at least 32 characters')
  .transform((given): Buffer => Buffer.from(given))
  .optional();

const roles = text(
  /^(all|(api|ingest|flags|jobs)(,(api|ingest|flags|jobs))*)$/,
  'all, or some of api,ingest,flags,jobs',
)
  .default('all')
  .transform(
    (given): ReadonlySet<Role> =>
      new Set(given === 'all' ? ['api', 'ingest', 'flags', 'jobs'] : (given.split(',') as Role[])),
  );

/** What concerns the process as a whole: addresses, secrets, stores, memory, log. */
export const processSettings = {
  host: setting('FANION_HOST', z.string().min(1).default('127.0.0.1'), {
    range: 'a host name or address',
    help: 'The address of all listeners. `0.0.0.0` opens the server to the network: read [guides/security.md](guides/security.md) first',
  }),
  port: setting('FANION_PORT', port.default(8080), {
    help: 'Web application, API, OFREP and OTLP/HTTP. `0`: any free port',
  }),
  otlpHttpPort: setting('FANION_OTLP_HTTP_PORT', port.default(4318), {
    help: 'OTLP/HTTP on its standard port, in addition to `FANION_PORT`. `0`: off. If the port is in use, the server logs a warning and starts without it',
  }),
  otlpGrpcPort: setting('FANION_OTLP_GRPC_PORT', port.default(4317), {
    help: 'OTLP/gRPC. `0`: off. If the port is in use, the server logs a warning and starts without it',
  }),
  flagdPort: setting('FANION_FLAGD_PORT', port.default(8013), {
    help: "flagd's evaluation over gRPC (HTTP/2) and Connect (HTTP/1.1), with an SDK key. `0`: off. If the port is in use, the server logs a warning and starts without it",
  }),
  flagdSyncPort: setting('FANION_FLAGD_SYNC_PORT', port.default(8015), {
    help: "flagd's sync service over gRPC, for providers that evaluate in their own process. `0`: off. If the port is in use, the server logs a warning and starts without it",
  }),
  /** Without a trailing slash; undefined: the address of the Host header. */
  baseUrl: setting('FANION_BASE_URL', web.transform(withoutSlash).optional(), {
    help: "The address that browsers use. Not set: the address in the `Host` header. Set it if people use a name other than loopback's",
  }),
  tlsCert: setting('FANION_TLS_CERT', z.string().optional(), {
    range: 'a PEM file',
    help: 'The certificate with its chain, together with `FANION_TLS_KEY`. All listeners then speak only TLS, 1.2 or newer. The server reads changed files within five seconds, without a restart: new connections get the new certificate. If it has expired or does not fit its key, the old one stays. Not together with `FANION_EVALUATION_PROCESS`',
  }),
  tlsKey: setting('FANION_TLS_KEY', z.string().optional(), {
    range: 'a PEM file',
    help: 'The key of that certificate, without a passphrase',
  }),
  trustProxy: setting('FANION_TRUST_PROXY', z.enum(['true', 'false']).default('false').transform(isTrue), {
    help: 'Whether the server trusts `X-Forwarded-For` and `X-Forwarded-Proto`, and accepts every `Host`. Set it only behind a proxy that sets these headers itself and forwards only its own names',
  }),
  dataDir: setting('FANION_DATA_DIR', z.string().min(1).default('./data'), {
    range: 'a directory',
    help: 'Stores, write-ahead log, snapshots, secret key, unsent mail. The server creates it if it is missing, with mode 0700. One process owns it at a time',
  }),
  databaseUrl: setting('DATABASE_URL', text(/^postgres(ql)?:\/\//, 'postgres://…').optional(), {
    help: 'The control plane in PostgreSQL instead of the embedded store. A primary and its standbys by commas: `postgres://user:password@one:5432,two:5432/fanion`. `sslmode` and `sslrootcert` as in [the guide](guides/running-with-postgres-and-clickhouse.md). Needs `FANION_SECRET_KEY`',
  }),
  clickhouseUrl: setting('CLICKHOUSE_URL', webHosts.optional(), {
    help: 'The telemetry store in ClickHouse instead of the embedded one, as `https://user:password@host:8443`. Several servers of a cluster by commas: `https://user:password@one:8443,two:8443`. The server stays with one until it does not answer',
  }),
  clickhouseCluster: setting('CLICKHOUSE_CLUSTER', cluster.optional(), {
    help: 'The cluster of the server in `CLICKHOUSE_URL`. Tables are created on all of its servers, replicated within a shard and distributed over the shards. Read [the guide](guides/cluster.md) first',
  }),
  coldVolume: setting('CLICKHOUSE_COLD_VOLUME', coldVolume.optional(), {
    help: 'The volume of a storage policy of your ClickHouse to which old telemetry moves, usually on S3, as `policy.volume`. The policy must have the disk `default`. Read [the guide](guides/scaling.md#old-telemetry-on-s3) first',
  }),
  coldAfterDays: setting('CLICKHOUSE_COLD_AFTER_DAYS', count(2, 3650).default(7), {
    help: 'The age in days at which telemetry moves to `CLICKHOUSE_COLD_VOLUME`',
  }),
  secretKey: setting('FANION_SECRET_KEY', secretKey, {
    default: 'created at the first start, in `secret.key` of the data directory',
    help: "The server's key: it encrypts stored secrets and signs cookies. Servers that share a control plane need the same key",
  }),
  previousSecretKey: setting('FANION_SECRET_KEY_PREVIOUS', secretKey, {
    help: 'The key before the current one, while it is replaced: the server still reads secrets that are stored with it. See [guides/security.md](guides/security.md#replace-the-secret-key)',
  }),
  maxClockSkewMs: setting('FANION_MAX_CLOCK_SKEW_SECONDS', number(1, 86_400).default(10).transform(secondsInMs), {
    help: "How far the clock of this server may differ from PostgreSQL's, in seconds. Beyond it, the server runs no background jobs, alert rules and notifications, and `/readyz` says so: see [guides/reliability.md](guides/reliability.md#clocks-that-differ). Without effect on an embedded control plane",
  }),
  drainMs: setting('FANION_DRAIN_SECONDS', number(0, 600).default(5).transform(secondsInMs), {
    help: 'How long the server answers requests after SIGTERM, in seconds. Meanwhile `/readyz` answers 503 and each answer ends its connection, so that load balancers and clients move to other servers. SIGINT and SIGHUP stop it at once',
  }),
  snapshotEveryMs: setting('FANION_SNAPSHOT_MINUTES', number(0.01, 1440).default(10).transform(minutesInMs), {
    help: 'How often the server copies the embedded control plane to `backups` in the data directory, in minutes, if anything has changed. It keeps the last five copies',
  }),
  memoryBytes: setting('FANION_MEMORY', size.pipe(z.number().min(leastMemory, 'at least 512MiB')).optional(), {
    default: '`1GiB`',
    range: 'at least `512MiB`, such as `4GiB`',
    help: 'The memory for all processes of this server together. If it exceeds 90 % of the memory of the machine or the control group, the server uses those 90 %',
  }),
  engineMemoryBytes: setting('FANION_ENGINE_MEMORY', size.optional(), {
    default: "the telemetry store's share of the memory",
    help: 'The memory that the embedded telemetry store may use, in place of its share. A query that needs more fails; the store keeps running',
  }),
  signup: setting('FANION_SIGNUP', z.enum(['open', 'invite']).optional(), {
    default: '`open` where `FANION_HOST` is loopback and `FANION_BASE_URL` is not set or loopback, else `invite`',
    help: '`open`: anybody who reaches the server may sign up and gets a new workspace. `invite`: the first person may sign up; everybody else needs an invitation',
  }),
  logLevel: setting('FANION_LOG_LEVEL', z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'), {
    help: 'JSON lines on standard output',
  }),
  evaluationProcess: setting('FANION_EVALUATION_PROCESS', onOff.default('off').transform(isOn), {
    help: '`on` evaluates flags in a separate process, which owns `FANION_PORT` and starts the server: see [the guide](guides/reliability.md#evaluation-in-a-separate-process). Without effect on a replica whose `FANION_ROLE` does not have `flags`',
  }),
  metricsToken: setting('FANION_METRICS_TOKEN', z.string().min(16, 'at least 16 characters').optional(), {
    help: 'If set, `/internal/metrics` requires `Authorization: Bearer`. Otherwise the metrics are available on loopback only',
  }),
  roles: setting('FANION_ROLE', roles, {
    help: 'The tasks of this replica. A replica answers only the routes of its tasks, and without `jobs` it runs no background jobs',
  }),
};
