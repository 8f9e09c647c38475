import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgres } from '../../packages/server/src/testing/postgres-binaries.ts';
import { until } from '../../packages/server/src/testing/test-client.ts';
import type { TestDatabase } from '../../packages/server/src/testing/test-database.ts';
import { freePort } from './server-process.ts';

/** The version of Debian's package `pgbouncer`; undefined where it is not installed. */
export const pgbouncerVersion = ((): string | undefined => {
  try {
    return execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' }).split('\n')[0];
  } catch {
    return undefined;
  }
})();

export interface Pooler {
  readonly port: number;
  /** The certificate that signed its own, which is for `localhost`. */
  readonly caFile: string;
  stop(): Promise<void>;
}

/** PgBouncer in transaction mode before a database, which it serves under the name `fanion`, over TLS only. */
export async function startPooler({ host, port, user, database }: TestDatabase['connection']): Promise<Pooler> {
  const directory = mkdtempSync(join(tmpdir(), 'fanion-pgbouncer-'));
  const at = (name: string) => join(directory, name);
  const listen = await freePort();
  const pair = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
  const names = ['-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', [...pair, ...names, '-keyout', at('key.pem'), '-out', at('cert.pem')], { stdio: 'ignore' });
  writeFileSync(at('users.txt'), `"${user}" ""\n`);
  writeFileSync(
    at('pgbouncer.ini'),
    `[databases]
fanion = host=${host} port=${port} user=${user} dbname=${database}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listen}
unix_socket_dir =
auth_type = trust
auth_file = ${at('users.txt')}
pool_mode = transaction
default_pool_size = 5
max_client_conn = 200
client_tls_sslmode = require
client_tls_key_file = ${at('key.pem')}
client_tls_cert_file = ${at('cert.pem')}
`,
  );
  // Like PostgreSQL, it refuses to run as root.
  const { user: own } = await findPostgres();
  if (own !== undefined)
    for (const name of ['.', 'key.pem', 'cert.pem', 'users.txt', 'pgbouncer.ini'])
      chownSync(at(name), own.uid, own.gid);
  const child = spawn('pgbouncer', [at('pgbouncer.ini')], {
    ...own,
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await untilUp(child);
  return {
    port: listen,
    caFile: at('cert.pem'),
    async stop() {
      const ended = once(child, 'exit');
      if (child.kill('SIGKILL')) await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function untilUp(child: ChildProcess): Promise<void> {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}:\n${said}`);
    return /process up/.test(said) || undefined;
  });
}
