import {
  ConfigError,
  leastClickHouse,
  leastPostgres,
  probeClickHouse,
  probePostgres,
  readSettings,
  type Settings,
  unknownVariables,
  version,
} from '@fanion/server';
import type { Call } from '../commands/command.ts';
import { endpointOf } from '../files/connection-options.ts';
import type { Terminal } from '../files/terminal.ts';
import type { Facts } from './facts.ts';
import { type Finding, lineOf, wrong } from './finding.ts';
import {
  availableMemory,
  openFilesOf,
  probeDirectory,
  probePorts,
  probeSecretKey,
  probeServer,
  probeStore,
  readMetrics,
} from './probes.ts';
import { findingsOf, nodeFinding } from './rules.ts';

/** `fanion doctor`. */
export async function examine({ texts, flags }: Call, { env, out }: Terminal): Promise<number> {
  const findings = await findAll(texts.endpoint, env);
  if (flags.has('json')) out(JSON.stringify({ findings }));
  else for (const finding of findings) out(lineOf(finding));
  return findings.some(({ level }) => level === 'wrong') ? 1 : 0;
}

async function findAll(endpoint: string | undefined, env: Terminal['env']): Promise<Finding[]> {
  try {
    const settings = readSettings(env);
    // The server that this environment configures, not the one of the last login.
    const scheme = settings.tlsCert === undefined ? 'http' : 'https';
    const own = `${scheme}://${/^(0\.0\.0\.0|::)$/.test(settings.host) ? '127.0.0.1' : settings.host}:${settings.port}`;
    return findingsOf(
      await gather(settings, endpointOf({ endpoint: endpoint ?? env.FANION_ENDPOINT ?? own }, env), env),
    );
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.message
      .split('\n')
      .map((problem) => wrong('configuration', problem, 'see docs/configuration.md'));
    return [...problems, nodeFinding(process.version)];
  }
}

async function gather(settings: Settings, endpoint: string, env: Terminal['env']): Promise<Facts> {
  const [server, metrics, controlPlane, telemetryStore, ports] = await Promise.all([
    probeServer(endpoint),
    readMetrics(endpoint, settings.metricsToken),
    probeStore(
      settings.databaseUrl,
      { variable: 'DATABASE_URL', product: 'PostgreSQL', least: String(leastPostgres) },
      probePostgres,
    ),
    probeStore(
      settings.clickhouseUrl,
      { variable: 'CLICKHOUSE_URL', product: 'ClickHouse', least: leastClickHouse },
      probeClickHouse,
    ),
    probePorts(settings, new URL(endpoint)),
  ]);
  const directory = await probeDirectory(settings, metrics, server.isUp, Date.now());
  return {
    versions: { cli: version, node: process.version },
    unknownVariables: unknownVariables(env),
    server,
    directory,
    controlPlane,
    telemetryStore,
    memory: { ...settings.memory, available: availableMemory() },
    openFiles: openFilesOf(directory.owner?.isAlive ? directory.owner.pid : undefined),
    ports,
    secretKey: probeSecretKey(settings),
  };
}
