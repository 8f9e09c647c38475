/**
 * Makes the data directory of a version, as its server leaves it: an account, a flag that is on, a saved query, and telemetry.
 *
 *     npx tsx test/upgrade/make-data-directory.ts NAME [packages/cli/dist/main.js of a checkout of that version]
 *
 * Writes `test/upgrade/archives/NAME.tar.br`. Add one for each release; never change one.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { signUp, stored, until } from '../../packages/server/src/testing/test-client.ts';
import { flagsOf } from '../flags/support.ts';
import { cli, freePort, serveProcess } from '../support/server-process.ts';
import type { Contents } from './contents.ts';

const [name, program = cli] = process.argv.slice(2);
if (name === undefined || !/^[\w.-]+$/.test(name)) throw new Error('usage: make-data-directory.ts NAME [PROGRAM]');

const directory = mkdtempSync(join(tmpdir(), 'fanion-version-'));
// The longest, so that the rows outlive many releases.
const env = { FANION_RETENTION_DAYS: '3650', FANION_DRAIN_SECONDS: '0' };
const server = await serveProcess(join(directory, 'data'), await freePort(), env, program);
const user = await signUp(server.base, 'ada');
await flagsOf(user).create('kept');
await flagsOf(user).serve('kept');
const saved = await user.post(`${user.workspace}/saved-queries`, { name: 'Kept', query: 'logs | limit 5' });
if (saved.status !== 201) throw new Error(saved.text);

const token = await user.token(['telemetry:ingest', 'telemetry:query']);
const sdkKey = await user.sdkKey();
const at = Date.now();
const nanos = (n: number) => `${at + n}000000`;
const attributes = [{ key: 'order.total', value: { intValue: '42' } }];
const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] };
const logs = [1, 2, 3].map((n) => ({
  timeUnixNano: nanos(n),
  severityNumber: 9,
  body: { stringValue: `kept ${n}` },
  attributes,
}));
const span = {
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  name: 'checkout',
  kind: 2,
  startTimeUnixNano: nanos(1),
  endTimeUnixNano: nanos(21),
};
const points = [1, 2].map((n) => ({ timeUnixNano: nanos(n), asInt: String(n * 10), attributes }));
for (const [path, body] of [
  ['logs', { resourceLogs: [{ resource, scopeLogs: [{ logRecords: logs }] }] }],
  ['traces', { resourceSpans: [{ resource, scopeSpans: [{ spans: [{ ...span, attributes }] }] }] }],
  [
    'metrics',
    {
      resourceMetrics: [{ resource, scopeMetrics: [{ metrics: [{ name: 'stock', gauge: { dataPoints: points } }] }] }],
    },
  ],
] as const) {
  const answer = await fetch(`${server.base}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}
await stored(server.base);
await until(
  async () => (await user.post(`${user.workspace}/query`, { query: 'logs | count' })).data?.rows?.[0]?.[0] === 3,
);
await server.end('SIGTERM');

const contents: Contents = {
  at: new Date(at).toISOString(),
  email: user.email,
  workspace: user.workspace,
  project: user.project,
  token,
  sdkKey,
};
writeFileSync(join(directory, 'contents.json'), JSON.stringify(contents, null, 2));
recycleLog(join(directory, 'data/control/pgdata'));
// What the server makes anew at its start: room for a full disk (64 MiB), and a cache of catalogs.
const left = ['data/control/ballast', 'data/control/socket', 'data/backups', 'pg_internal.init'];
const tar = execFileSync(
  'tar',
  [
    '-c',
    '--sort=name',
    '--owner=0',
    '--group=0',
    ...left.map((path) => `--exclude=${path}`),
    '-C',
    directory,
    'data',
    'contents.json',
  ],
  { maxBuffer: 256 * 1024 ** 2 },
);
const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants;
const params = { [BROTLI_PARAM_LGWIN]: 24, [BROTLI_PARAM_SIZE_HINT]: tar.length };
const file = fileURLToPath(new URL(`./archives/${name}.tar.br`, import.meta.url));
writeFileSync(file, brotliCompressSync(tar, { params }));
console.log(`${file}: ${Math.ceil(statSync(file).size / 1024)} KiB`);
rmSync(directory, { recursive: true });
process.exit(0);

/**
 * Zeroes the pages of PostgreSQL's log before its last checkpoint, as a longer life would recycle them: nobody reads them, and they are half of
 * what is left after compression. The offsets are those of `ControlFileData` in PostgreSQL's `src/include/catalog/pg_control.h`.
 */
function recycleLog(pgdata: string): void {
  const segmentBytes = 16 * 1024 ** 2;
  const pageBytes = 8 * 1024;
  const control = readFileSync(join(pgdata, 'global/pg_control'));
  const shutDown = 1;
  const redo = control.readBigUInt64LE(40);
  const [segment, ...others] = readdirSync(join(pgdata, 'pg_wal')).filter((name) => /^[0-9A-F]{24}$/.test(name));
  if (control.readUInt32LE(16) !== shutDown || segment === undefined || others.length > 0 || redo >= 2 * segmentBytes)
    throw new Error('the control plane did not shut down with one segment of its log');
  const path = join(pgdata, 'pg_wal', segment);
  const at = Number(redo) % segmentBytes;
  // The first page identifies the segment.
  writeFileSync(path, readFileSync(path).fill(0, pageBytes, at - (at % pageBytes)));
}
