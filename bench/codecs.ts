/**
 * Ways to pack the times of spans: what a count takes that compares every time, and how many bytes a time has. For each, a table of the
 * columns of the order key is filled from the same spans and merged into one part; counts without times take what the rest of a
 * statement does. Also times of other rates and units, which the spans of the bench do not have. Prints Markdown tables; progress goes
 * to stderr.
 *
 *   npx tsx bench/codecs.ts [--spans 6000000] [--rounds 6] [--codecs 'Delta(8), ZSTD(1); GCD, T64, LZ4']
 *
 * Builds what is measured beforehand: `npm run build`.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { startBenchServer } from './support/ingest/server.ts';
import { median } from './support/load.ts';
import { fill } from './support/reads.ts';

const { values } = parseArgs({
  options: {
    spans: { type: 'string', default: '6000000' },
    rounds: { type: 'string', default: '6' },
    codecs: {
      type: 'string',
      default:
        'Delta(8), ZSTD(1); Delta(8), LZ4; DoubleDelta; T64; T64, LZ4; T64, ZSTD(1); GCD, T64, LZ4; GCD, T64, ZSTD(1); NONE',
    },
  },
});
const codecs = values.codecs.split(';').map((codec) => codec.trim());
const GENERATED = 3_000_000;
/** Nanoseconds of the times in `numbers()`. */
const generated = {
  'one in 2 s, ns': 'number * 2000000000 + rand64() % 1900000000',
  '50 a second, ms': '(number * 20 + rand() % 19) * 1000000',
  '50 a second, µs': '(number * 20000 + rand() % 19000) * 1000',
  '2,000 a second, ns': 'number * 500000 + rand() % 490000',
  'unsorted within a minute, ns': 'number * 500000 + rand64() % 60000000000',
};
const began = `toInt64(1796000000000000000)`;

const server = await startBenchServer(true);
const { store } = server;
try {
  await fill(server, 'traces', Number(values.spans));
  console.log(
    `Load ${(loadavg()[0] ?? 0).toFixed(1)}\n\n| spans | count, ms | count without times, ms | bytes of a time |`,
  );
  console.log('| --- | --- | --- | --- |');
  for (const codec of codecs) {
    await create('workspace UInt32, service LowCardinality(String), name LowCardinality(String), status Int8', codec);
    await store.command('INSERT INTO coded SELECT workspace, service, name, status, time FROM spans');
    await store.command('OPTIMIZE TABLE coded FINAL');
    const counting = await time(
      'SELECT status, count() FROM coded WHERE time >= now() - 86400 AND time < now() + 60 GROUP BY status',
    );
    const rest = await time('SELECT status, count() FROM coded GROUP BY status');
    console.log(`| ${codec} | ${counting} | ${rest} | ${await bytes()} |`);
  }
  for (const [name, nanoseconds] of Object.entries(generated)) {
    console.log(`\n| ${name} | count, ms | bytes of a time |\n| --- | --- | --- |`);
    for (const codec of codecs) {
      await create('workspace UInt32, service UInt32, name UInt32', codec);
      await store.command(
        `INSERT INTO coded SELECT 1, 1, intDiv(number, 100000), fromUnixTimestamp64Nano(${began} + toInt64(${nanoseconds})) FROM numbers(${GENERATED})`,
      );
      await store.command('OPTIMIZE TABLE coded FINAL');
      const counting = await time(
        'SELECT count() FROM coded WHERE time >= now() - 315360000 AND time < now() + 315360000',
      );
      console.log(`| ${codec} | ${counting} | ${await bytes()} |`);
    }
  }
} finally {
  await server.stop();
}
process.exit();

async function create(columns: string, codec: string): Promise<void> {
  console.error(codec);
  await store.command('DROP TABLE IF EXISTS coded');
  await store.command(
    `CREATE TABLE coded (${columns}, time DateTime64(9, 'UTC') CODEC(${codec})) ENGINE = MergeTree
     ORDER BY (workspace, service, name${columns.includes('status') ? ', time' : ''}) SETTINGS index_granularity = 2048`,
  );
}

async function time(sql: string): Promise<string> {
  const took: number[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const start = performance.now();
    await store.query(sql);
    took.push(performance.now() - start);
  }
  return median(took).toFixed(1);
}

async function bytes(): Promise<string> {
  const { rows } = await store.query(
    "SELECT round(sum(column_data_compressed_bytes) / sum(rows), 2) FROM system.parts_columns WHERE active AND table = 'coded' AND column = 'time'",
  );
  return String(rows[0]?.[0]);
}
