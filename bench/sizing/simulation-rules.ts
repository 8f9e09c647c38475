import type { Figures } from './figures.ts';
import { blocksOf } from './sizing-rules.ts';

/** Ingest servers that all send spans, and the shards of a store. */
export interface World {
  readonly spansPerSecond: number;
  readonly ingestServers: number;
  readonly shards: number;
  /** Of each server of the store. */
  readonly cores: number;
}

export type Bottleneck = 'ingest servers' | 'merge threads' | 'store processors';

export interface Outcome {
  /** Share of the last minute's spans that were stored within it. */
  readonly stored: number;
  /** Bytes that wait in the log of a server at the end. */
  readonly waitingBytes: number;
  /** Parts of spans of one day that wait to be merged, at the end. */
  readonly waitingParts: number;
  /** What was fully used, undefined where everything was stored. */
  readonly bottleneck: Bottleneck | undefined;
}

const SECONDS = 3_600;
const LAST_SECONDS = 60;
/** ClickHouse's defaults: from the first on inserts are delayed, at the second they fail; and its threads for merges. */
const DELAYED_AT = 1_000;
const REFUSED_AT = 3_000;
const MERGE_THREADS = 16;
/** A few spans may be in a segment that is still open. */
const ALL = 0.995;

interface State {
  /** Blocks in the log of one server. */
  waiting: number;
  /** Processor time of merges that wait. */
  merges: number;
  parts: number;
}

interface Second {
  readonly stored: number;
  readonly bottleneck: Bottleneck | undefined;
}

/**
 * An hour, second by second. Each server stores what it can of its log, in blocks of which every shard gets a part, and which do not
 * grow while they wait; the store inserts
 * first and merges with what is left of its processors, on at most 16 threads. Parts that wait for merges delay inserts, as in ClickHouse.
 */
export function simulate(world: World, figures: Figures): Outcome {
  const state: State = { waiting: 0, merges: 0, parts: 0 };
  const { spansPerSecond, ingestServers } = world;
  const made = blocksOf({ perSecond: spansPerSecond, cost: figures.span }, ingestServers, figures) / ingestServers;
  const blocks = { made, rows: spansPerSecond / ingestServers / made };
  const last: Second[] = [];
  for (let second = 0; second < SECONDS; second++) {
    const passed = pass(state, blocks, world, figures);
    if (second >= SECONDS - LAST_SECONDS) last.push(passed);
  }
  const stored = last.reduce((sum, { stored: of }) => sum + of, 0) / (spansPerSecond * LAST_SECONDS);
  const met = last.flatMap(({ bottleneck }) => bottleneck ?? []);
  return {
    stored,
    waitingBytes: state.waiting * blocks.rows * figures.span.protobufBytes,
    waitingParts: Math.round(state.parts),
    bottleneck: stored >= ALL ? undefined : mostFrequent(met),
  };
}

/** Blocks per second from one server, and the rows in each. */
interface Blocks {
  readonly made: number;
  readonly rows: number;
}

function pass(
  state: State,
  { made, rows: ofBlock }: Blocks,
  { ingestServers, shards, cores }: World,
  figures: Figures,
): Second {
  state.waiting += made;
  const most = figures.span.mostOfServer / ofBlock;
  const offered = Math.min(state.waiting, most);
  const blocks = offered * ingestServers;
  const rows = (blocks * ofBlock) / shards;
  const { storeSeconds } = figures.span;
  const insert = blocks * figures.blockSeconds + rows * storeSeconds * (1 - figures.mergeShare);
  const merge = rows * storeSeconds * figures.mergeShare;
  const accepted = shareAccepted(state.parts);
  const share = Math.min(1, cores / insert, accepted);
  state.waiting -= offered * share;
  state.merges += merge * share;
  state.parts += blocks * share;
  const left = Math.min(MERGE_THREADS, cores - insert * share);
  const done = Math.min(state.merges, left);
  // Parts wait as long as their merges.
  state.parts *= state.merges > 0 ? 1 - done / state.merges : 1;
  state.merges -= done;
  const isFull = offered >= most ? 'ingest servers' : undefined;
  const ofStore = share === accepted && left === MERGE_THREADS ? 'merge threads' : 'store processors';
  return { stored: blocks * ofBlock * share, bottleneck: share < 1 ? ofStore : isFull };
}

/** ClickHouse makes each insert wait the longer the more parts there are; here in proportion. */
function shareAccepted(parts: number): number {
  return Math.min(1, Math.max(0, (REFUSED_AT - parts) / (REFUSED_AT - DELAYED_AT)));
}

function mostFrequent(met: readonly Bottleneck[]): Bottleneck | undefined {
  const counts = new Map<Bottleneck, number>();
  for (const one of met) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

export interface Most {
  readonly spansPerSecond: number;
  /** What stops a higher rate. */
  readonly bottleneck: Bottleneck;
  /** Of the store's work at that rate, the share that is for blocks and not for their rows. */
  readonly blockShare: number;
}

/** The highest rate of which everything is stored, to half a hundredth. */
export function mostOf(world: Omit<World, 'spansPerSecond'>, figures: Figures): Most {
  let [low, high] = [0, world.ingestServers * figures.span.mostOfServer * 2];
  let bottleneck: Bottleneck = 'ingest servers';
  while (high - low > high / 200 && high > 1) {
    const rate = (low + high) / 2;
    const outcome = simulate({ ...world, spansPerSecond: rate }, figures);
    if (outcome.bottleneck === undefined) low = rate;
    else [high, bottleneck] = [rate, outcome.bottleneck];
  }
  const { ingestServers, shards } = world;
  const blocks = blocksOf({ perSecond: low, cost: figures.span }, ingestServers, figures);
  const forBlocks = blocks * figures.blockSeconds;
  return {
    spansPerSecond: low,
    bottleneck,
    blockShare: forBlocks / (forBlocks + (low / shards) * figures.span.storeSeconds),
  };
}
