import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { connect } from 'node:net';
import { freemem } from 'node:os';
import { dirname, join } from 'node:path';
import { ownerOfDataDirectory } from '@fanion/embedded';
import type { Settings } from '@fanion/server';
import type { DirectoryFacts, PortFacts, SecretKeyFacts, ServerFacts, StoreFacts } from './facts.ts';

export const timeoutMs = 5_000;

/** Asks a server for its state. */
export async function probeServer(endpoint: string): Promise<ServerFacts> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const began = Date.now();
    const answer = await fetch(`${endpoint}/readyz`, { signal });
    const middle = (began + Date.now()) / 2;
    const { status, dependencies = [] } = (await answer.json()) as {
      status: string;
      dependencies?: { name: string; status: string; detail?: string }[];
    };
    const meta = (await (await fetch(`${endpoint}/api/v1/meta`, { signal })).json()) as { data: { version: string } };
    // The header counts whole seconds: on average it is half a second late.
    const date = Date.parse(answer.headers.get('date') ?? '') + 500;
    const aheadMs = Number.isNaN(date) ? 0 : date - middle;
    return { isUp: true, endpoint, status, version: meta.data.version, aheadMs, dependencies };
  } catch (error) {
    const isOther = error instanceof SyntaxError || (error instanceof TypeError && error.message !== 'fetch failed');
    return { isUp: false, endpoint, problem: isOther ? 'another program answers' : 'no server answers' };
  }
}

/** Asks an external store for its state. */
export async function probeStore(
  url: string | undefined,
  facts: { readonly variable: string; readonly product: string; readonly least: string },
  probe: (
    url: string,
    timeoutMs: number,
  ) => Promise<{ version: string; mayMigrate: boolean | undefined; nowMs: number }>,
): Promise<StoreFacts> {
  if (url === undefined) return { kind: 'embedded' };
  const began = Date.now();
  try {
    const { nowMs, ...state } = await probe(url, timeoutMs);
    return { kind: 'external', ...facts, ...state, aheadMs: nowMs - (began + Date.now()) / 2 };
  } catch (error) {
    const reason = error instanceof Error && error.message !== '' ? error.message : codeOf(error);
    return { kind: 'external', variable: facts.variable, problem: `${facts.product} does not answer: ${reason}` };
  }
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : String(error);
}

/** @param metrics of the server, if it shows them; else the log's files are read, unless a server runs */
export async function probeDirectory(
  { dataDir, wal }: Settings,
  metrics: string | undefined,
  isUp: boolean,
  nowMs: number,
): Promise<DirectoryFacts> {
  const stats = statsOf(dataDir);
  const kind = stats === undefined ? undefined : stats.isDirectory() ? 'directory' : 'other';
  const isWritable = allows(dataDir, constants.W_OK | constants.X_OK);
  let existing = dataDir;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  const space = await statfs(existing);
  const log =
    metrics !== undefined ? logInMetrics(metrics) : isUp ? undefined : logInFiles(join(dataDir, 'wal'), nowMs);
  return {
    path: dataDir,
    kind,
    isWritable,
    owner: kind === 'directory' && isWritable ? ownerOfDataDirectory(dataDir) : undefined,
    freeBytes: space.bavail * space.bsize,
    minFreeBytes: wal.minFreeBytes,
    wal: log && { maxBytes: wal.maxBytes, ...log },
  };
}

function logInMetrics(metrics: string) {
  const gaugeOf = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? 0);
  return {
    bytes: gaugeOf('fanion_wal_bytes'),
    maxBytes: gaugeOf('fanion_wal_max_bytes'),
    ageSeconds: gaugeOf('fanion_wal_age_seconds'),
  };
}

function logInFiles(folder: string, nowMs: number) {
  if (statsOf(folder)?.isDirectory() !== true || !allows(folder, constants.R_OK)) return undefined;
  const segments = readdirSync(folder)
    .filter((name) => name.endsWith('.wal'))
    .flatMap((name) => statsOf(join(folder, name)) ?? []);
  const oldest = Math.min(nowMs, ...segments.map(({ birthtimeMs }) => birthtimeMs));
  return { bytes: segments.reduce((sum, { size }) => sum + size, 0), ageSeconds: (nowMs - oldest) / 1_000 };
}

/** The metrics of a server; undefined if it does not show them to this process. */
export async function readMetrics(endpoint: string, token: string | undefined): Promise<string | undefined> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(`${endpoint}/internal/metrics`, { headers, signal: AbortSignal.timeout(timeoutMs) }).catch(
    () => undefined,
  );
  return answer?.ok ? answer.text() : undefined;
}

export function probeSecretKey({ secretKeyFile: path, dataDir, databaseUrl }: Settings): SecretKeyFacts {
  if (path === undefined) return { from: 'variable' };
  const stats = statsOf(path);
  const isNeeded = databaseUrl === undefined && existsSync(join(dataDir, 'control'));
  const mode = stats && stats.mode & 0o777;
  return { from: 'file', path, mode, isReadable: allows(path, constants.R_OK), isNeeded };
}

/** Undefined if there is nothing, or nothing that this user may see. */
function statsOf(path: string) {
  try {
    return statSync(path);
  } catch (error) {
    if (/^(ENOENT|ENOTDIR|EACCES)$/.test(codeOf(error))) return undefined;
    throw error;
  }
}

function allows(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false; // the rules say what follows
  }
}

/** The soft limit of a process, else of this one. Node raises its own to the hard limit when it starts. */
export function openFilesOf(pid: number | undefined): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const file = [`/proc/${pid}/limits`, '/proc/self/limits'].find((path) => allows(path, constants.R_OK));
  const limit = file === undefined ? undefined : /^Max open files +(\S+)/m.exec(readFileSync(file, 'utf8'))?.[1];
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : limit === undefined ? undefined : Number(limit);
}

export function probePorts({ host, port, otlpHttpPort, otlpGrpcPort }: Settings, endpoint: URL): Promise<PortFacts[]> {
  const isConfigured = endpoint.port === '' || Number(endpoint.port) === port;
  const ports = [
    { variable: 'FANION_PORT', port: isConfigured ? port : Number(endpoint.port) },
    { variable: 'FANION_OTLP_GRPC_PORT', port: otlpGrpcPort },
    { variable: 'FANION_OTLP_HTTP_PORT', port: otlpHttpPort },
  ];
  const address = /^(0\.0\.0\.0|::)$/.test(host) ? 'localhost' : host;
  const on = isLoopbackName(endpoint.hostname) ? address : endpoint.hostname;
  return Promise.all(
    // 0 is off, or any free port.
    ports.filter((one) => one.port !== 0).map(async (one) => ({ ...one, isOpen: await isOpen(on, one.port) })),
  );
}

function isLoopbackName(name: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(name);
}

function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}

export const availableMemory = freemem;
