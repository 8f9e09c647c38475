import { measured } from './figures.ts';
import { mostOf } from './simulation-rules.ts';
import { type Load, type Sizing, sizeOf, usualPlan } from './sizing-rules.ts';

const loadOf = (spansPerSecond: number, queriesPerSecond: number): Load => ({
  ...{ spansPerSecond, logsPerSecond: spansPerSecond, series: spansPerSecond * 10 },
  ...{ retentionDays: 30, queriesPerSecond },
});
/** As many log records as spans a second, and ten series for each. */
const loads = [loadOf(10_000, 1), loadOf(100_000, 3), loadOf(1_000_000, 10), loadOf(10_000_000, 30)];

const row = (cells: readonly (number | string)[]) => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly (number | string)[])[]) =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

/** 1,234,567 as 1.2M; two digits are as many as the figures have. */
export function inShort(value: number): string {
  const units = ['', 'k', 'M', 'G', 'T', 'P'];
  let [scaled, at] = [value, 0];
  for (; scaled >= 999.5 && at < units.length - 1; at++) scaled /= 1_000;
  const digits = scaled >= 9.95 || scaled === 0 ? 0 : 1;
  return `${scaled.toFixed(digits).replace(/\.0$/, '')}${units[at]}`;
}

/** With the unit of the quantity: 1.2 MB/s. */
const bytes = (value: number, unit: 'B' | 'B/s') => inShort(value).replace(/^([\d.]+)([a-zA-Z]?)$/, `$1 $2${unit}`);

export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return 'any';
  if (seconds >= 2 * 86_400) return `${Math.floor(seconds / 86_400)} days`;
  if (seconds >= 2 * 3_600) return `${Math.floor(seconds / 3_600)} h`;
  if (seconds >= 120) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds)} s`;
}

const ofStore = (sizing: Sizing, text: string) => (sizing.shards === undefined ? '–' : text);

const limitOf = ({ shards, firstLimit, mostWork }: Sizing) => {
  if (shards === 1) return 'nothing: one shard is enough';
  return firstLimit === 'processors' ? `processors, most of them for ${mostWork}` : firstLimit;
};

const lines: readonly (readonly [string, (sizing: Sizing, load: Load) => number | string])[] = [
  [
    'log records a second; series; queries a second',
    (_, { logsPerSecond, series, queriesPerSecond }) =>
      `${inShort(logsPerSecond)}; ${inShort(series)}; ${queriesPerSecond}`,
  ],
  [
    'servers of the role `ingest`; their busy cores',
    ({ ingestServers, ingestCores }) => `${ingestServers}; ${inShort(ingestCores)}`,
  ],
  ['servers of the role `api`', ({ apiServers }) => apiServers],
  ['servers of the roles `flags` and `jobs`', () => '2 and 2'],
  ['shards of two replicas', ({ shards }) => shards ?? 'not enough with any number'],
  ['what the store runs out of first', (sizing) => limitOf(sizing)],
  ['cores of each server of the store', (sizing) => ofStore(sizing, `${sizing.storeCores}`)],
  ['memory of each', (sizing) => ofStore(sizing, `${Math.ceil(sizing.storeMemoryBytes / 1024 ** 3)} GiB`)],
  ['disk of each', (sizing) => ofStore(sizing, bytes(sizing.storeDiskBytes, 'B'))],
  ['blocks that each shard takes a second', ({ blocksPerSecond }) => inShort(blocksPerSecond)],
  [
    'network: from the senders; into each server of the store',
    (sizing) =>
      `${bytes(sizing.receivedBytesPerSecond, 'B/s')}; ${ofStore(sizing, bytes(sizing.storeBytesPerSecond, 'B/s'))}`,
  ],
  ['how long full logs bridge without the store', ({ bridgeSeconds }) => duration(bridgeSeconds)],
  ['longest window of spans that a query reads', ({ longestWindowSeconds }) => duration(longestWindowSeconds)],
];

/** The table of docs/guides/scaling.md, or of one load. */
export function sizingTable(given: readonly Load[] = loads): string {
  const sized = given.map((load) => ({ load, sizing: sizeOf(load, measured, usualPlan) }));
  return table(
    ['', ...given.map(({ spansPerSecond }) => `${inShort(spansPerSecond)} spans/s`)],
    lines.map(([name, of]) => [name, ...sized.map(({ load, sizing }) => of(sizing, load))]),
  );
}

/** Ingest servers, shards and cores of each server of the store. */
const worlds = [
  [2, 1, 16],
  [8, 1, 16],
  [32, 1, 16],
  [64, 1, 16],
  [128, 1, 16],
  [128, 8, 16],
  [32, 1, 64],
  [32, 4, 64],
  [128, 4, 64],
  [128, 16, 64],
  [500, 64, 64],
] as const;

/** The bottlenecks of docs/guides/scaling.md. */
export function simulationTable(): string {
  const head = [
    'ingest servers',
    'shards',
    'cores of each',
    'most spans a second',
    'what stops more',
    'work of the store that is for blocks',
  ];
  return table(
    head,
    worlds.map(([ingestServers, shards, cores]) => {
      const { spansPerSecond, bottleneck, blockShare } = mostOf({ ingestServers, shards, cores }, measured);
      const most = spansPerSecond < 1 ? 'none' : inShort(spansPerSecond);
      return [ingestServers, shards, cores, most, bottleneck, `${Math.round(blockShare * 100)} %`];
    }),
  );
}
