import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type S3Call, type S3Server, startS3Server } from '../../packages/server/src/testing/s3-server.ts';
import { type SignedUp, signUp, until } from '../../packages/server/src/testing/test-client.ts';
import { freePort, runProcess, type ServerProcess, serveProcess, startProcess } from '../support/server-process.ts';
import { itemsOfBatch, type Target, targetOf } from './support/endpoints.ts';
import { ownMetrics } from './support/processes.ts';
import { compareWithDirectory, drained, freshDirectory, push, tallyText } from './support/stored.ts';

/** The items of a batch, of the last second. */
const times = () => Array.from({ length: itemsOfBatch }, (_, i) => Date.now() - 1000 - i);

describe('a backup of a running server to a bucket', () => {
  const source = freshDirectory('source');
  const restored = freshDirectory('restored');
  /** Everything that the source has acknowledged. */
  const acknowledged = new Map();
  let s3: S3Server;
  let port: number;
  let grpcPort: number;
  let server: ServerProcess;
  let user: SignedUp;
  let target: Target;
  /** What opens the bucket. */
  let access: Record<string, string>;

  const start = (dataDir: string, env: Record<string, string> = {}) =>
    serveProcess(dataDir, port, { FANION_OTLP_GRPC_PORT: String(grpcPort), ...access, ...env });
  /** Without anything that opens the bucket. */
  const fanion = (...args: readonly string[]) => runProcess(args, { FANION_DATA_DIR: source.path });

  beforeAll(async () => {
    s3 = await startS3Server();
    const { accessKeyId, secretAccessKey, region } = s3.account;
    access = {
      ...{ AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
      ...{ AWS_REGION: region, AWS_ENDPOINT_URL_S3: s3.endpoint },
    };
    [port, grpcPort] = [await freePort(), await freePort()];
    server = await start(source.path);
    user = await signUp(server.base);
    target = targetOf(server.base, grpcPort, await user.token(['telemetry:ingest']));
  });
  afterAll(async () => {
    target?.grpc.close();
    await server?.end('SIGKILL');
    await s3?.vanish();
    for (const directory of [source, restored]) directory.remove();
  });

  const keys = () => [...s3.objects.keys()];
  const complete = () =>
    keys()
      .filter((key) => key.endsWith('/manifest.json'))
      .map((key) => key.split('/')[1] ?? '');
  const unfinished = () => keys().filter((key) => key.endsWith('/unfinished.json'));
  /** Frozen files that are still there. */
  const frozen = () =>
    ['telemetry', 'wal', 'control'].flatMap((store) => {
      const folder = join(source.path, store, 'frozen');
      return existsSync(folder) ? readdirSync(folder) : [];
    });

  /** Leaves a backup without answers once it uploads files of the telemetry store. */
  function holdUploads(): { readonly held: Promise<void>; release(): void } {
    const isUpload = ({ method, key }: S3Call) => method === 'PUT' && key.includes('/telemetry/');
    let release = () => {};
    const released = new Promise<undefined>((resolve) => {
      release = () => resolve(undefined);
    });
    const held = new Promise<void>((resolve) => {
      s3.fault = (call) => {
        if (!isUpload(call)) return undefined;
        resolve();
        return released;
      };
    });
    return {
      held,
      release() {
        s3.fault = () => undefined;
        release();
      },
    };
  }

  /** A backup that waits in the middle of its uploads. */
  async function startHeld() {
    const { held, release } = holdUploads();
    const { child, output, end } = startProcess(['backup', 's3://backups/one'], { FANION_DATA_DIR: source.path });
    const exited = once(child, 'exit');
    const isHeld = await Promise.race([held.then(() => true), exited.then(() => false)]);
    expect(isHeld, output()).toBe(true);
    return { exited, output, end, release };
  }

  it('has everything acknowledged before it began exactly once, while ingest goes on', async () => {
    const pushing = push(() => target, { acknowledged, times });
    await until(async () => ((await ownMetrics(server.base)).get('fanion_ingest_rows_stored_total') ?? 0) > 0, 60_000);
    const before = new Map(acknowledged);
    const { code, output } = await fanion('backup', 's3://backups/one');
    expect(code, output).toBe(0);
    expect(output).toContain(`s3://backups/one/${complete()[0]}`);
    await pushing.stop();
    rmSync(restored.path, { recursive: true });
    const args = ['restore', `s3://backups/one/${complete()[0]}`, '--data', restored.path];
    expect(await fanion(...args)).toMatchObject({ code: 2, output: expect.stringContaining('AWS_ACCESS_KEY_ID') });
    const copied = await runProcess(args, access);
    expect(copied.code, copied.output).toBe(0);
    expect(copied.output).toContain('1 workspaces');
    await server.end('SIGTERM');

    server = await start(restored.path);
    await drained(server.base, restored.path, 60_000);
    await server.end('SIGTERM');
    const copy = await compareWithDirectory(restored.path, before);
    console.log(`restored, acknowledged before: ${tallyText(copy)}`);
    expect([copy.lost, copy.wrong]).toEqual([[], []]);
    expect((await compareWithDirectory(restored.path, acknowledged)).wrong).toEqual([]);
    server = await start(source.path);
  }, 300_000);

  it('is not restored over a running server', async () => {
    const args = ['restore', `s3://backups/one/${complete()[0]}`];
    expect(await runProcess(args, { FANION_DATA_DIR: source.path, ...access })).toMatchObject({
      code: 1,
      output: expect.stringContaining(`in use by process ${server.child.pid}`),
    });
  });

  it('whose command is killed ends, and leaves nothing', async () => {
    const before = keys();
    const { end, release } = await startHeld();
    await end('SIGKILL');
    await expect.poll(() => [...keys(), ...frozen()], { timeout: 60_000 }).toEqual(before);
    release();
  });

  it('whose server is killed leaves a server that loses nothing, and what the next backup removes', async () => {
    const before = complete();
    const { exited, output, release } = await startHeld();
    await server.end('SIGKILL');
    expect((await exited)[0]).toBe(1);
    expect(output()).toContain('the server ended before it had answered');
    release();
    expect(unfinished()).toHaveLength(1);
    expect(complete()).toEqual(before);

    server = await start(source.path);
    const next = await fanion('backup', 's3://backups/one');
    expect(next.code, next.output).toBe(0);
    expect([unfinished(), complete().length]).toEqual([[], before.length + 1]);
    expect(new Set(keys().map((key) => key.split('/')[1]))).toEqual(new Set(complete()));
    await drained(server.base, source.path, 60_000);
    await server.end('SIGTERM');
    const tally = await compareWithDirectory(source.path, acknowledged);
    expect([tally.lost, tally.wrong]).toEqual([[], []]);
    server = await start(source.path);
  }, 300_000);

  it('whose bucket vanishes in the middle fails with the reason, and leaves the server healthy', async () => {
    const { held, release } = holdUploads();
    const failing = fanion('backup', 's3://backups/one');
    await held;
    await s3.vanish();
    release();
    const { code, output } = await failing;
    expect([code, output]).toEqual([1, expect.stringContaining('cannot be reached: ECONNREFUSED (tried 8 times)')]);
    expect(output).not.toContain(s3.account.secretAccessKey);
    expect(frozen()).toEqual([]);
    await s3.comeBack();
    expect(await fanion('backup', 's3://backups/one')).toMatchObject({ code: 0 });
    expect(unfinished()).toEqual([]);
  }, 180_000);

  it('with wrong credentials fails, and says which to check', async () => {
    await server.end('SIGTERM');
    server = await start(source.path, { AWS_SECRET_ACCESS_KEY: 'a-wrong-secret' });
    const { code, output } = await fanion('backup', 's3://backups/one');
    expect([code, output]).toEqual([1, expect.stringContaining('check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY')]);
    expect(output).not.toMatch(/a-wrong-secret|that-no-message-has/);
  });

  it('by schedule is taken at the first start, and not again at the next', async () => {
    const scheduled = { FANION_BACKUP_DIR: 's3://backups/two', FANION_BACKUP_KEEP: '1' };
    const ofSchedule = () => keys().filter((key) => key.startsWith('two/') && key.endsWith('/manifest.json'));
    const lastSuccess = async () =>
      (await ownMetrics(server.base)).get('fanion_backup_last_success_timestamp_seconds') ?? 0;
    await server.end('SIGTERM');
    server = await start(source.path, scheduled);
    await until(async () => (await lastSuccess()) > 0, 60_000);
    const first = ofSchedule();
    expect(first).toHaveLength(1);
    await server.end('SIGTERM');
    server = await start(source.path, scheduled);
    // Known from the bucket: the time from which the interval counts.
    await until(async () => (await lastSuccess()) > 0, 60_000);
    expect(ofSchedule()).toEqual(first);
    expect((await ownMetrics(server.base)).get('fanion_backups_total{result="success"}') ?? 0).toBe(0);
  }, 120_000);

  it('of a stopped server is opened with the credentials of the command', async () => {
    await server.end('SIGTERM');
    const before = complete();
    const denied = await fanion('backup', 's3://backups/three');
    expect([denied.code, denied.output]).toEqual([1, expect.stringContaining('needs AWS_ACCESS_KEY_ID')]);
    const done = await runProcess(['backup', 's3://backups/three'], { FANION_DATA_DIR: source.path, ...access });
    expect(done.code, done.output).toBe(0);
    const added = complete().find((name) => !before.includes(name));
    rmSync(restored.path, { recursive: true });
    const args = ['restore', `s3://backups/three/${added}`, '--data', restored.path];
    expect(await runProcess(args, access)).toMatchObject({ code: 0 });
    const tally = await compareWithDirectory(restored.path, acknowledged);
    expect([tally.lost, tally.wrong]).toEqual([[], []]);
  }, 120_000);
});
