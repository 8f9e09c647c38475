// Writes src/promql/testing/answers.json: what a real Prometheus answers to the queries of src/promql/testing/queries.ts over the
// series of series.ts. Needs `prometheus` and `promtool`: npx tsx packages/oql/scripts/record-promql-answers.ts
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AT_SECONDS, QUERIES } from '../src/promql/testing/queries.ts';
import { SERIES } from '../src/promql/testing/series.ts';

const base = 1_795_100_400;
const directory = mkdtempSync(join(tmpdir(), 'promql-'));
const text = (value: number) => (value === Number.POSITIVE_INFINITY ? '+Inf' : String(value));
const byMetric = new Map<string, string[]>();
for (const { metric, attributes = {}, points } of SERIES) {
  const labels = Object.entries(attributes)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',');
  const lines = points.map(({ at, value }) => `${metric}{${labels}} ${text(value)} ${base + at}`);
  byMetric.set(metric, [...(byMetric.get(metric) ?? []), ...lines]);
}
const file = join(directory, 'series.txt');
writeFileSync(file, `${[...byMetric.values()].flat().join('\n')}\n# EOF\n`);
execFileSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', file, join(directory, 'data')]);
writeFileSync(join(directory, 'empty.yml'), '');
const port = 39_471;
const server = spawn('prometheus', [
  `--config.file=${join(directory, 'empty.yml')}`,
  `--storage.tsdb.path=${join(directory, 'data')}`,
  '--storage.tsdb.retention.time=100y',
  `--web.listen-address=127.0.0.1:${port}`,
]);
try {
  const ask = async (query: string) => {
    const url = `http://127.0.0.1:${port}/api/v1/query?time=${base + AT_SECONDS}&query=${encodeURIComponent(query)}`;
    const answer = await (await fetch(url)).json();
    if (answer.status !== 'success') throw new Error(`${query}: ${answer.error}`);
    return answer.data.result.map(({ metric, value }: { metric: Record<string, string>; value: [number, string] }) => {
      const { __name__: _, ...labels } = metric;
      return [labels, value[1]];
    });
  };
  for (let i = 0; i < 100; i++) {
    const isReady = await fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) break;
    await sleep(200);
  }
  const lines: string[] = [];
  for (const query of QUERIES) lines.push(`  ${JSON.stringify(query)}: ${JSON.stringify(await ask(query))}`);
  writeFileSync(new URL('../src/promql/testing/answers.json', import.meta.url), `{\n${lines.join(',\n')}\n}\n`);
} finally {
  server.kill();
  rmSync(directory, { recursive: true, force: true });
}
