import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { freePort, type ServerProcess, serveProcess } from '../support/server-process.ts';

/** `KILL_ROUNDS=20` for the figure of the release notes. */
const rounds = Number(process.env.KILL_ROUNDS ?? 5);
const spansPerBatch = 100;
const victims = ['server', 'telemetry store', 'control plane', 'all'] as const;

/** The embedded stores are children of the server; their command lines name them. */
function children(pid: number): { telemetry: number | undefined; control: number | undefined } {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args=']).toString().split('\n');
  const find = (name: string) => {
    const line = lines.find(
      (text) => text.trim().split(/\s+/)[1] === String(pid) && text.includes(`/${name}/child.js`),
    );
    return line === undefined ? undefined : Number(line.trim().split(/\s+/)[0]);
  };
  return { telemetry: find('telemetry'), control: find('control') };
}

function batch(id: string, now: number) {
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const hex = (length: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(length))).toString('hex');
  const traceId = hex(16);
  const spans = Array.from({ length: spansPerBatch }, (_, i) => ({
    traceId,
    spanId: hex(8),
    name: 'work',
    kind: 2,
    startTimeUnixNano: String(BigInt(now + i) * 1_000_000n),
    endTimeUnixNano: String(BigInt(now + i + 5) * 1_000_000n),
    attributes: [text('batch', id)],
  }));
  return {
    resourceSpans: [
      { resource: { attributes: [text('service.name', 'killed')] }, scopeSpans: [{ scope: { name: 'test' }, spans }] },
    ],
  };
}

describe(`kill -9 during ingest, ${rounds} rounds`, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'fanion-kill-'));
  let port: number;
  let server: ServerProcess;
  let user: SignedUp;
  let token: string;

  beforeAll(async () => {
    port = await freePort();
    server = await serveProcess(dataDir, port);
    user = await signUp(server.base);
    token = await user.token(['telemetry:ingest']);
  }, 120_000);
  afterAll(async () => {
    await server?.end('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('loses nothing that was acknowledged, and stores nothing twice', async () => {
    const acknowledged = new Set<string>();
    let sent = 0;
    for (let round = 0; round < rounds; round++) {
      let stop = false;
      const push = async () => {
        while (!stop) {
          const id = `batch-${sent++}`;
          const response = await fetch(`${server.base}/v1/traces`, {
            method: 'POST',
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
            body: JSON.stringify(batch(id, Date.now() - 1000)),
          }).catch(() => undefined);
          if (response?.status === 200) acknowledged.add(id);
          else await new Promise((resolve) => setTimeout(resolve, 20));
        }
      };
      const before = acknowledged.size;
      const pushers = [push(), push(), push()];
      // In the middle of it: enough is acknowledged, and the next batches are under way, at a point that varies.
      await until(async () => acknowledged.size - before > 20 + Math.random() * 60, 60_000);
      const victim = victims[round % victims.length] ?? 'all';
      const pid = server.child.pid ?? 0;
      const { telemetry, control } = children(pid);
      const kill = (target: number | undefined) => target !== undefined && process.kill(target, 'SIGKILL');
      if (victim === 'telemetry store' || victim === 'all') kill(telemetry);
      if (victim === 'control plane' || victim === 'all') kill(control);
      if (victim === 'server' || victim === 'all') {
        await server.end('SIGKILL');
        stop = true;
        await Promise.all(pushers);
        server = await serveProcess(dataDir, port);
      } else {
        // The server lives on: ingest is acknowledged while its store comes back.
        const during = acknowledged.size;
        await until(async () => acknowledged.size - during > 20, 60_000);
        stop = true;
        await Promise.all(pushers);
      }
    }
    const client = testClient(server.base, { cookie: user.cookie });
    const count = async () => {
      const answer = await client.post(`${user.workspace}/query`, {
        query: 'spans | stats n=count() by batch',
        from: 'now-1h',
        to: 'now+5m',
        limit: 100_000,
      });
      return answer.status === 200
        ? new Map((answer.data.rows as [string, number][]).map(([id, n]) => [id, n]))
        : new Map<string, number>();
    };
    const stored = await until(async () => {
      const found = await count();
      return [...acknowledged].every((id) => found.has(id)) && found;
    }, 60_000).catch(count);
    const lost = [...acknowledged].filter((id) => !stored.has(id));
    const partialOrDouble = [...stored].filter(([, n]) => n !== spansPerBatch);
    console.log(
      `${rounds} kills, ${acknowledged.size} acknowledged batches of ${spansPerBatch} spans: lost ${lost.length}, partial or duplicated ${partialOrDouble.length}`,
    );
    expect(lost).toEqual([]);
    expect(partialOrDouble).toEqual([]);
  }, 600_000);
});
