import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signUp } from '../../packages/server/src/testing/test-client.ts';
import { freePort, serveProcess } from '../../test/support/server-process.ts';
import { tenMetrics } from './results.ts';

/** Results of ten metrics and three arms that the built server has computed before: they are as large as those of any number of units. */
export async function measureCached(rounds: number): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fanion-judging-'));
  const server = await serveProcess(dataDir, await freePort());
  try {
    const user = await signUp(server.base);
    const made = async (path: string, body?: object) => {
      const answer = await user.post(`${user.project}/${path}`, body);
      if (answer.status >= 300) throw new Error(answer.text);
      return answer.data;
    };
    const variants = ['a', 'b', 'c'].map((key) => ({ key, value: key }));
    await made('flags', { key: 'many', name: 'many', kind: 'string', variants });
    const targeting = { enabled: true, off_variant: 'a', fallthrough: { variant: 'a' }, version: 0 };
    await user.put(`${user.project}/environments/production/flags/many`, { ...targeting, targets: [], rules: [] });
    const goals = tenMetrics.map((_, i) => `metric-${i}`);
    for (const [i, metric] of tenMetrics.entries()) {
      await made('metrics', { ...metric, key: goals[i], name: goals[i] });
    }
    const weights = [33_334, 33_333, 33_333];
    const { id } = await made('experiments', {
      ...{ key: 'many', name: 'many', flag: 'many', environment: 'production', control: 'a' },
      variants: variants.map(({ key }, i) => ({ variant: key, weight: weights[i] })),
      metrics: { goals },
    });
    await made(`experiments/${id}/start`);
    const read = async () => {
      const began = performance.now();
      const answer = await user.get(`${user.project}/experiments/${id}/results`);
      if (answer.status !== 200) throw new Error(answer.text);
      return { took: performance.now() - began, bytes: answer.text.length };
    };
    const first = await read();
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push((await read()).took);
    times.sort((a, b) => a - b);
    const at = (share: number) => times[Math.floor(times.length * share)]?.toFixed(1);
    console.log(
      `cached results of 10 metrics of 3 arms, ${first.bytes} bytes: ${at(0.5)} ms (p50), ${at(0.99)} ms (p99) over ${rounds} reads (limit: 100 ms)`,
    );
  } finally {
    await server.end('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  }
}
