import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { UsageError } from './usage-error.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What `fanion login` has stored. */
interface Credentials {
  /** Endpoint of the last login. */
  readonly last?: string | undefined;
  /** API tokens by endpoint. */
  readonly tokens: Readonly<Record<string, string>>;
}

/** The endpoint of the last login, unless it was logged out. @throws UsageError if the file cannot be trusted or read */
export function lastEndpoint(env: Env): string | undefined {
  return read(env).last;
}

/** @throws UsageError if the file cannot be trusted or read */
export function storedToken(endpoint: string, env: Env): string | undefined {
  return read(env).tokens[keyOf(endpoint)];
}

/** Stores a token, and makes its endpoint the default. @returns the path of the file */
export function storeToken(endpoint: string, token: string, env: Env): string {
  const key = keyOf(endpoint);
  return write({ last: key, tokens: { ...read(env).tokens, [key]: token } }, env);
}

/** @returns whether there was one */
export function removeToken(endpoint: string, env: Env): boolean {
  const key = keyOf(endpoint);
  const { last, tokens } = read(env);
  const { [key]: removed, ...others } = tokens;
  if (removed === undefined) return false;
  write({ last: last === key ? undefined : last, tokens: others }, env);
  return true;
}

/** Equal for all spellings of one endpoint. */
function keyOf(endpoint: string): string {
  return new URL(endpoint).href.replace(/\/+$/, '');
}

function pathOf(env: Env): string | undefined {
  const { XDG_CONFIG_HOME: config = '', HOME: home = '' } = env;
  // The XDG Base Directory Specification ignores relative paths.
  if (isAbsolute(config)) return join(config, 'fanion', 'credentials.json');
  return isAbsolute(home) ? join(home, '.config', 'fanion', 'credentials.json') : undefined;
}

function read(env: Env): Credentials {
  const path = pathOf(env);
  const stats = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path === undefined || stats === undefined) return { tokens: {} };
  if (!stats.isFile()) throw new UsageError(`${path} must be a file: remove it, then run fanion login`);
  if ((stats.mode & 0o077) !== 0)
    throw new UsageError(`other users can read or change the tokens in ${path}: run chmod 600 ${path}`);
  const credentials = parsed(readFileSync(path, 'utf8'));
  if (credentials === undefined) throw new UsageError(`${path} is malformed: delete it, then run fanion login`);
  return credentials;
}

function parsed(text: string): Credentials | undefined {
  try {
    const content: unknown = JSON.parse(text);
    if (typeof content !== 'object' || content === null || !('tokens' in content)) return undefined;
    const { tokens } = content;
    const last = 'last' in content ? content.last : undefined;
    if (typeof tokens !== 'object' || tokens === null || (last !== undefined && typeof last !== 'string'))
      return undefined;
    const pairs = Object.entries(tokens).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
    return { last, tokens: Object.fromEntries(pairs) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function write(credentials: Credentials, env: Env): string {
  const path = pathOf(env);
  if (path === undefined) throw new UsageError('set HOME or XDG_CONFIG_HOME: tokens are stored below it');
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  chmodSync(dirname(path), 0o700);
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(draft, path);
  return path;
}
