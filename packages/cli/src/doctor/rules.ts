import type { DirectoryFacts, Facts, MemoryFacts, PortFacts, SecretKeyFacts, ServerFacts } from './facts.ts';
import { type Finding, inBytes, isOlder, ok, warning, wrong } from './finding.ts';
import { clockFinding, storeFindings, trustFindings } from './store-rules.ts';

const leastNode = '20.20.0';
const leastOpenFiles = 4_096;
const leastMemory = 512 * 1024 ** 2;
/** How long telemetry may wait in the log before that is remarkable. */
const patienceSeconds = 60;

/** One finding for each check, in the order in which they are shown. */
export function findingsOf(facts: Facts): Finding[] {
  const { server, directory } = facts;
  return [
    serverFinding(server),
    versionFinding(facts),
    nodeFinding(facts.versions.node),
    variableFinding(facts.unknownVariables),
    ...storeFindings('control plane', 'control_plane', facts.controlPlane, server),
    ...storeFindings('telemetry store', 'telemetry_store', facts.telemetryStore, server),
    directoryFinding(directory, server),
    walFinding(directory, server),
    diskFinding(directory),
    secretKeyFinding(facts.secretKey),
    openFilesFinding(facts.openFiles),
    memoryFinding(facts.memory, server),
    ...(server.isUp ? [clockFinding('server', server.aheadMs), ...trustFindings(server)] : []),
    ...facts.ports.map((port) => portFinding(port, server)),
  ];
}

export function serverFinding(server: ServerFacts): Finding {
  const check = 'server';
  if (!server.isUp)
    return wrong(
      check,
      `${server.endpoint}: ${server.problem}`,
      'start it with fanion serve, or name it with --endpoint',
    );
  const found = `${server.endpoint} is ${server.status}`;
  if (server.status === 'ok') return ok(check, found);
  return warning(check, found, 'see the checks of what it depends on');
}

function versionFinding({ versions, server }: Facts): Finding {
  const check = 'versions';
  if (!server.isUp) return ok(check, `command line ${versions.cli}`);
  const found = `command line ${versions.cli}, server ${server.version}`;
  return versions.cli === server.version ? ok(check, found) : warning(check, found, 'install the same version of both');
}

export function nodeFinding(version: string): Finding {
  if (isOlder(version, leastNode)) return wrong('Node', version, `install Node ${leastNode} or newer`);
  return ok('Node', version);
}

function variableFinding(unknown: readonly string[]): Finding {
  if (unknown.length === 0) return ok('configuration', 'every variable is known and valid');
  return warning('configuration', `no effect: ${unknown.join(', ')}`, 'correct the names: see docs/configuration.md');
}

export function directoryFinding({ path, kind, isWritable, owner }: DirectoryFacts, server: ServerFacts): Finding {
  const check = 'data directory';
  const differs = 'if the server is on this machine, set FANION_DATA_DIR as it has it';
  if (kind === undefined)
    return server.isUp
      ? warning(check, `${path} does not exist, but a server answers`, differs)
      : ok(check, `${path} does not exist yet: the first start creates it`);
  if (kind === 'other') return wrong(check, `${path} is not a directory`, 'set FANION_DATA_DIR to a directory');
  if (!isWritable)
    return wrong(check, `${path} cannot be written`, 'run as the user of the server, or change its owner');
  if (owner?.isAlive)
    return server.isUp
      ? ok(check, `${path}, in use by process ${owner.pid}`)
      : wrong(
          check,
          `${path} is in use by process ${owner.pid}, but no server answers`,
          'wait if it is starting, compare FANION_PORT with its own, or stop it',
        );
  if (server.isUp) return warning(check, `no process uses ${path}, but a server answers`, differs);
  if (owner === undefined) return ok(check, `${path}, not in use`);
  return ok(check, `${path}, left by process ${owner.pid}, which has ended`);
}

export function walFinding({ wal }: DirectoryFacts, server: ServerFacts): Finding {
  const check = 'write-ahead log';
  if (wal === undefined)
    return server.isUp
      ? warning(check, 'the server does not show its metrics', 'set FANION_METRICS_TOKEN as the server has it')
      : ok(check, 'does not exist yet');
  const { bytes, maxBytes, ageSeconds } = wal;
  const age = bytes === 0 ? '' : `, the oldest from ${Math.round(ageSeconds)} s ago`;
  const found = `${inBytes(bytes)} of ${inBytes(maxBytes)}${age}`;
  if (bytes >= maxBytes)
    return wrong(check, `${found}: full, so ingest is rejected`, 'bring the telemetry store back; see its check');
  if (!server.isUp) return ok(check, bytes === 0 ? found : `${found}; the next start stores it`);
  if (bytes * 2 > maxBytes || ageSeconds > patienceSeconds)
    return warning(check, found, 'the telemetry store is slow or down: see its check and docs/guides/reliability.md');
  return ok(check, found);
}

export function diskFinding({ path, freeBytes, minFreeBytes }: DirectoryFacts): Finding {
  const check = 'disk';
  if (freeBytes === undefined) return wrong(check, `nothing of ${path} exists`, 'set FANION_DATA_DIR');
  const found = `${inBytes(freeBytes)} free; ingest needs ${inBytes(minFreeBytes)}`;
  const mend = 'free space, or shorten the retention (FANION_RETENTION_DAYS)';
  if (freeBytes < minFreeBytes) return wrong(check, found, mend);
  return freeBytes < 2 * minFreeBytes ? warning(check, found, mend) : ok(check, found);
}

export function secretKeyFinding(key: SecretKeyFacts): Finding {
  const check = 'secret key';
  if (key.from === 'variable') return ok(check, 'from FANION_SECRET_KEY');
  const { path, mode, isReadable, isNeeded } = key;
  if (mode === undefined)
    return isNeeded
      ? wrong(
          check,
          `${path} is missing, and stored secrets need it`,
          'restore it from a backup, or set FANION_SECRET_KEY',
        )
      : ok(check, `${path} does not exist yet: the first start creates it`);
  if (!isReadable) return wrong(check, `${path} cannot be read`, 'run as the user of the server, or change its owner');
  if ((mode & 0o077) !== 0)
    return wrong(check, `${path} can be read by others (mode ${mode.toString(8)})`, `run chmod 600 ${path}`);
  return ok(check, path);
}

export function openFilesFinding(limit: number | undefined): Finding {
  const check = 'open files';
  if (limit === undefined) return ok(check, 'the limit cannot be read on this system');
  if (limit >= leastOpenFiles) return ok(check, `at most ${limit}`);
  const mend = `raise it to ${leastOpenFiles}: ulimit -n, or LimitNOFILE of systemd`;
  return wrong(check, `at most ${limit}`, mend);
}

export function memoryFinding(
  { configured, used, machine, group, available }: MemoryFacts,
  server: ServerFacts,
): Finding {
  const check = 'memory';
  const limit = Math.min(machine, group ?? Number.POSITIVE_INFINITY);
  const found = `uses at most ${inBytes(used)} of ${inBytes(limit)}`;
  if (limit < leastMemory) return wrong(check, found, `Fanion needs ${inBytes(leastMemory)}`);
  if (configured !== undefined && configured > used)
    return warning(check, `${found}; FANION_MEMORY is ${inBytes(configured)}`, 'lower FANION_MEMORY, or add memory');
  if (!server.isUp && available < used)
    return warning(check, `${found}; ${inBytes(available)} are free`, 'stop other programs, or lower FANION_MEMORY');
  return ok(check, found);
}

export function portFinding({ variable, port, isOpen }: PortFacts, server: ServerFacts): Finding {
  const check = `port ${port}`;
  if (server.isUp) {
    if (isOpen) return ok(check, 'the server listens');
    return warning(
      check,
      'the server does not listen',
      `free the port and restart, or compare ${variable} with the server's`,
    );
  }
  if (!isOpen) return ok(check, 'free');
  return wrong(check, 'another program listens', `stop it, or set ${variable}`);
}
