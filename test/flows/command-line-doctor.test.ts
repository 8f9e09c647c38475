import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort, runProcess, type ServerProcess, serveProcess, startProcess } from '../support/server-process.ts';

const directory = mkdtempSync(join(tmpdir(), 'fanion-doctor-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** The findings that are not ok, each as `level check`. */
function amiss(output: string): string[] {
  const lines = output.trimEnd().split('\n');
  expect(lines.filter((line) => !/^(ok|warning|wrong) +\S/.test(line))).toEqual([]);
  return lines.flatMap((line) => /^(warning|wrong) +\S+( \S+)*/.exec(line)?.[0].replace(/ +/g, ' ') ?? []);
}

describe('fanion doctor', () => {
  const dataDir = join(directory, 'data');
  let port: number;
  let server: ServerProcess;
  let env: Readonly<Record<string, string>>;
  beforeAll(async () => {
    port = await freePort();
    server = await serveProcess(dataDir, port);
    env = {
      FANION_DATA_DIR: dataDir,
      FANION_PORT: String(port),
      FANION_OTLP_HTTP_PORT: '0',
      FANION_OTLP_GRPC_PORT: '0',
      FANION_FLAGD_PORT: '0',
      FANION_FLAGD_SYNC_PORT: '0',
      FANION_LOG_LEVEL: '',
    };
  });
  afterAll(() => server?.end('SIGTERM'));

  it('finds a running server with its stores, log and directory in order', async () => {
    const { code, output } = await runProcess(['doctor'], env);
    expect({ code, amiss: amiss(output) }).toEqual({ code: 0, amiss: [] });
    expect(output).toMatch(/^ok +control plane +up$/m);
    expect(output).toMatch(new RegExp(`^ok +data directory +${dataDir}, in use by process ${server.child.pid}$`, 'm'));
    expect(output).toMatch(/^ok +write-ahead log +.* of 8 GiB/m);
    const json = await runProcess(['doctor', '--json'], env);
    expect(JSON.parse(json.output).findings).toContainEqual({ check: 'telemetry store', level: 'ok', found: 'up' });
  });

  it('names a key that others can read, a port where nothing listens and an invalid variable, with what mends them', async () => {
    const key = join(dataDir, 'secret.key');
    chmodSync(key, 0o644);
    const free = String(await freePort());
    const { code, output } = await runProcess(['doctor'], { ...env, FANION_OTLP_HTTP_PORT: free, FANION_PROT: '1' });
    chmodSync(key, 0o600);
    expect(code).toBe(1);
    expect(output).toContain(`(mode 644): run chmod 600 ${key}`);
    expect(output).toMatch(new RegExp(`^warning +port ${free} +the server does not listen: `, 'm'));
    expect(output).toMatch(/^warning +configuration +no effect: FANION_PROT/m);
    const invalid = await runProcess(['doctor'], { ...env, FANION_WAL_MAX_BYTES: '1MiB' });
    expect(invalid).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^wrong +configuration +FANION_WAL_MAX_BYTES/),
    });
  });

  it('checks the configuration while the server is down, and creates nothing', async () => {
    const path = join(directory, 'none');
    const down = { ...env, FANION_DATA_DIR: path, FANION_PORT: String(await freePort()) };
    const { code, output } = await runProcess(['doctor'], down);
    expect(code).toBe(1);
    expect(output).toMatch(/^wrong +server +\S+ no server answers: start it with fanion serve/m);
    expect(amiss(output).filter((line) => line.startsWith('wrong'))).toHaveLength(1);
    expect(existsSync(path)).toBe(false);
    writeFileSync(path, '');
    expect((await runProcess(['doctor'], down)).output).toMatch(/^wrong +data directory +\S+ is not a directory/m);
  });

  it('asks external stores for their versions, privileges and clocks, and says when one does not answer', async () => {
    const stores = startProcess(['stores'], { FANION_DATA_DIR: join(directory, 'stores') });
    onTestFinished(() => stores.end('SIGTERM'));
    await expect.poll(stores.output).toContain('CLICKHOUSE_URL');
    const urls = Object.fromEntries(
      [...stores.output().matchAll(/^(\w+)='(.*)'$/gm)].map(([, name, url]) => [name, url]),
    );
    const external = { ...env, ...urls, FANION_SECRET_KEY: 'k'.repeat(40) };
    const { output } = await runProcess(['doctor'], external);
    expect(output).toMatch(/^ok +control plane +PostgreSQL \d+/m);
    expect(output).toMatch(/^ok +telemetry store +ClickHouse 26\./m);
    expect(output).toMatch(/^ok +clock of PostgreSQL/m);
    expect(output).toMatch(/^ok +clock of ClickHouse/m);
    await stores.end('SIGTERM');
    const gone = await runProcess(['doctor'], external);
    expect(gone.code).toBe(1);
    expect(gone.output).toMatch(/^wrong +control plane +PostgreSQL does not answer: .*DATABASE_URL$/m);
    expect(gone.output).toMatch(/^wrong +telemetry store +ClickHouse does not answer: .*CLICKHOUSE_URL$/m);
  });

  it('rejects unknown options', async () => {
    expect(await runProcess(['doctor', '--jsn'])).toMatchObject({
      code: 2,
      output: expect.stringContaining('--json?'),
    });
  });
});
