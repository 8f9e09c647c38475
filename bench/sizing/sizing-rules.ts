import type { Figures, ItemCost } from './figures.ts';

/** What an installation has to take. */
export interface Load {
  readonly spansPerSecond: number;
  readonly logsPerSecond: number;
  /** Active ones, with a point every 15 seconds each. */
  readonly series: number;
  readonly retentionDays: number;
  /** Each over {@link Plan.queryWindowSeconds}, of spans. */
  readonly queriesPerSecond: number;
}

/** What is decided, and the largest server of the store that can be had. */
export interface Plan {
  readonly replicas: number;
  readonly storeCores: number;
  readonly storeDiskBytes: number;
  /** Of the network of a server, in each direction. */
  readonly bytesPerSecond: number;
  readonly memoryPerStoreCore: number;
  readonly queryWindowSeconds: number;
  /** How busy processors, disks and networks may be. */
  readonly busy: { readonly processors: number; readonly disk: number; readonly network: number };
}

export const usualPlan: Plan = {
  replicas: 2,
  storeCores: 64,
  storeDiskBytes: 20e12,
  bytesPerSecond: 10e9 / 8,
  memoryPerStoreCore: 4 * 1024 ** 3,
  queryWindowSeconds: 900,
  busy: { processors: 0.5, disk: 0.8, network: 0.5 },
};

export type Limit = 'disk' | 'network' | 'processors';
/** What processors of the store work for. */
export type Work = 'blocks' | 'queries' | 'rows';

export interface Sizing {
  readonly ingestServers: number;
  /** Busy on average, of all of them. */
  readonly ingestCores: number;
  readonly apiServers: number;
  /** Undefined: no number of shards is enough, since each gets a part of every block. */
  readonly shards: number | undefined;
  /** How many shards each resource alone would need; Infinity: no number is enough. */
  readonly shardsFor: Readonly<Record<Limit, number>>;
  /** What needs the most shards, so what the store runs out of first. */
  readonly firstLimit: Limit;
  /** What most of the store's processor time is for. */
  readonly mostWork: Work;
  /** Of each server of the store, half busy. */
  readonly storeCores: number;
  readonly storeMemoryBytes: number;
  readonly storeDiskBytes: number;
  /** Blocks that each shard takes a second. */
  readonly blocksPerSecond: number;
  /** From the senders, uncompressed; the same is written to the logs. */
  readonly receivedBytesPerSecond: number;
  /** Into each server of the store. */
  readonly storeBytesPerSecond: number;
  /** How long the logs take what arrives while the store is away. */
  readonly bridgeSeconds: number;
  /** The longest window of spans that a query may read. */
  readonly longestWindowSeconds: number;
}

/** Two of each survive the loss of one. */
const LEAST_SERVERS = 2;
/** Half of what one stored while it shared two cores with the store. */
const SHARE_OF_SERVER = 0.5;
const POINT_EVERY_SECONDS = 15;
/** A server without load wakes up, too. */
const LEAST_CORES = 1;

interface Stream {
  readonly perSecond: number;
  readonly cost: ItemCost;
}

/** Throws a RangeError for a load that is no load. */
export function sizeOf(load: Load, figures: Figures, plan: Plan = usualPlan): Sizing {
  for (const [name, value] of Object.entries(load))
    if (!Number.isFinite(value) || value < 0) throw new RangeError(`${name} is ${value}: give a number of 0 or more`);
  const streams = streamsOf(load, figures);
  const sum = (of: (cost: ItemCost) => number) =>
    streams.reduce((total, { perSecond, cost }) => total + perSecond * of(cost), 0);
  const servers = atLeast(
    LEAST_SERVERS,
    sum((cost) => 1 / (cost.mostOfServer * SHARE_OF_SERVER)),
  );
  const blocks = streams.reduce((total, stream) => total + blocksOf(stream, servers, figures), 0);
  const rowsOfQuery = Math.min(load.spansPerSecond * plan.queryWindowSeconds, figures.mostRowsOfQuery);
  const busy = {
    rows: sum((cost) => cost.storeSeconds),
    queries: load.queriesPerSecond * rowsOfQuery * figures.readRowSeconds,
    // Of each shard, however many there are.
    blocks: blocks * figures.blockSeconds,
  };
  const work = {
    ...{ shared: busy.rows + busy.queries, each: busy.blocks },
    disk: sum((cost) => cost.storedBytes) * 86_400 * load.retentionDays,
    // A block comes to one server, which sends the other shards their parts; replicas fetch merged columns, which are smaller.
    network: 2 * sum((cost) => cost.insertedBytes),
  };
  const shardsFor = shardsForEach(work, plan);
  const firstLimit = largestOf(shardsFor);
  const shards = Number.isFinite(shardsFor[firstLimit]) ? shardsFor[firstLimit] : undefined;
  const busyCores = work.shared / (shards ?? Number.POSITIVE_INFINITY) + work.each;
  const storeCores = atLeast(LEAST_CORES, busyCores / plan.busy.processors);
  return {
    ...{ ingestServers: servers, ingestCores: sum((cost) => cost.serverSeconds) },
    apiServers: atLeast(LEAST_SERVERS, (load.queriesPerSecond * figures.querySeconds) / plan.busy.processors),
    ...{ shards, shardsFor, firstLimit, storeCores },
    mostWork: mostWorkOf({ ...busy, blocks: busy.blocks * (shards ?? Number.POSITIVE_INFINITY) }),
    storeMemoryBytes: storeCores * plan.memoryPerStoreCore,
    storeDiskBytes: work.disk / (shards ?? Number.POSITIVE_INFINITY) / plan.busy.disk,
    blocksPerSecond: blocks,
    receivedBytesPerSecond: sum((cost) => cost.protobufBytes),
    storeBytesPerSecond: work.network / (shards ?? Number.POSITIVE_INFINITY),
    bridgeSeconds: (servers * figures.logBytes) / sum((cost) => cost.protobufBytes),
    longestWindowSeconds: figures.mostRowsOfQuery / load.spansPerSecond,
  };
}

function streamsOf({ spansPerSecond, logsPerSecond, series }: Load, { span, log, point }: Figures): Stream[] {
  return [
    { perSecond: spansPerSecond, cost: span },
    { perSecond: logsPerSecond, cost: log },
    { perSecond: series / POINT_EVERY_SECONDS, cost: point },
  ].filter(({ perSecond }) => perSecond > 0);
}

/** Blocks of a signal that all ingest servers make a second: each closes a segment after a time, or when it is full. */
export function blocksOf({ perSecond, cost }: Stream, servers: number, figures: Figures): number {
  const ofServer = perSecond / servers;
  const perSegment = Math.min(figures.segmentItems, figures.segmentBytes / cost.protobufBytes);
  return servers * Math.max(1 / figures.segmentSeconds, ofServer / perSegment);
}

interface Needs {
  /** Busy cores, divided by the shards. */
  readonly shared: number;
  /** Busy cores of each shard, however many there are. */
  readonly each: number;
  readonly disk: number;
  readonly network: number;
}

function shardsForEach(work: Needs, plan: Plan): Record<Limit, number> {
  const cores = plan.storeCores * plan.busy.processors;
  return {
    // With what blocks leave of them.
    processors: work.each < cores ? atLeast(1, work.shared / (cores - work.each)) : Number.POSITIVE_INFINITY,
    disk: atLeast(1, work.disk / (plan.storeDiskBytes * plan.busy.disk)),
    network: atLeast(1, work.network / (plan.bytesPerSecond * plan.busy.network)),
  };
}

/** Where several need the same, the first of these. */
const ORDER: readonly Limit[] = ['disk', 'processors', 'network'];

function largestOf(shards: Readonly<Record<Limit, number>>): Limit {
  return ORDER.reduce((most, limit) => (shards[limit] > shards[most] ? limit : most));
}

function mostWorkOf(busy: Readonly<Record<Work, number>>): Work {
  const works: readonly Work[] = ['rows', 'queries', 'blocks'];
  return works.reduce((most, work) => (busy[work] > busy[most] ? work : most));
}

function atLeast(least: number, value: number): number {
  // Sums of floats end a little above a whole number.
  return Math.max(least, Math.ceil(value - 1e-9));
}
