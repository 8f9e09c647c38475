import { compile } from '@fanion/oql';
import { answerRecent, type RecentSeries } from '@fanion/oql/recent';

/**
 * Processor time of answers from recent points in memory: `npx tsx bench/recent-answers.ts`. 1,000 and 50 series with 1,000 points each,
 * and buckets of a minute in an hour.
 */
const EVERY_MS = 3_600;
const POINTS = 1_000;
const ROUNDS = 60;
const toMs = Date.UTC(2026, 10, 23, 6);
const fromMs = toMs - EVERY_MS * POINTS;

function seriesOf(id: number): RecentSeries {
  const values = new Float64Array(POINTS);
  let value = id * 1_000;
  for (let i = 0; i < POINTS; i++) values[i] = value += i % 7;
  return {
    project: 1,
    labels: {
      attributes: {
        texts: new Map([
          ['job', `job-${id % 20}`],
          ['shard', `shard-${id % 10}`],
          ['instance', `10.0.0.${id}:9090`],
        ]),
        types: '',
      },
      resource: { texts: new Map([['service.name', 'shop']]), types: '' },
      own: { texts: new Map([['service', 'shop']]), types: '' },
    },
    count: POINTS,
    times: Float64Array.from(values, (_, i) => i * EVERY_MS),
    values,
    starts: new Float64Array(POINTS).fill(-86_400_000),
  };
}

const all = Array.from({ length: 1_000 }, (_, id) => seriesOf(id));
const window = { fromNs: BigInt(fromMs) * 1_000_000n, toNs: BigInt(toMs) * 1_000_000n };
const questions = [
  'metric requests | promrate 5m | sum by shard, bucket(1m)',
  'metric requests | where job == "job-3" | promrate 5m | sum by shard, bucket(1m)',
  'metric requests | promrate 5m | sum by instance, bucket(1m)',
  'metric requests | rate | sum by shard, bucket(1m)',
  'metric requests | where job == "job-3" | rate | sum by shard, bucket(1m)',
  'metric requests | rate 5m | sum by shard, bucket(1m)',
  'metric requests | avg by shard, bucket(1m)',
];

function median(of: readonly number[]): number {
  return [...of].sort((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0;
}

// One question after another, so that each pays for collecting the garbage of its own rows.
for (const text of questions) {
  const compiled = compile(text, { scope: { workspace: 1, project: 1 }, window, limit: 100_000, nowNs: window.toNs });
  if (!compiled.ok || !compiled.recent) throw new Error(`${text} is not answered from memory`);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    if (!answerRecent(compiled.recent, { originMs: fromMs, series: all }, 100_001))
      throw new Error(`${text} has no answer`);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
  }
  console.log(`${median(times).toFixed(2)} ms  ${text}`);
}
