export type NodeKind = 'service' | 'database' | 'queue' | 'external';

/** Calls from a source to a target in a window. Without a source: everything that arrived at the target. */
export interface EdgeRow {
  readonly source_kind: NodeKind | '';
  readonly source: string;
  readonly target_kind: NodeKind;
  readonly target: string;
  readonly system: string;
  readonly calls: number;
  readonly errors: number;
  /** Nanoseconds at 50, 95 and 99 percent. */
  readonly durations: readonly (number | null)[];
}

interface Load {
  readonly calls: number;
  readonly rate: number;
  readonly errors: number;
  readonly p50_ns: number | null;
  readonly p95_ns: number | null;
  readonly p99_ns: number | null;
}
export interface MapNode extends Load {
  readonly id: string;
  readonly kind: NodeKind;
  readonly name: string;
  readonly system: string | null;
}
export interface MapEdge extends Load {
  readonly source: string;
  readonly target: string;
}

export function nodeId(kind: NodeKind, name: string): string {
  return `${kind}:${name}`;
}

/**
 * Nodes and edges of a window of `seconds`, the busiest first. Every end of an edge is a node, also one without
 * incoming calls (a program that only calls). An external node with the name of a service is that service: its spans
 * were late or not sampled.
 */
export function mapOf(rows: readonly EdgeRow[], seconds: number): { nodes: MapNode[]; edges: MapEdge[] } {
  const services = new Set(
    rows.flatMap((row) => [
      ...(row.source_kind === 'service' ? [row.source] : []),
      ...(row.target_kind === 'service' ? [row.target] : []),
    ]),
  );
  const nodes = new Map<string, MapNode>();
  const edges = new Map<string, MapEdge>();
  const know = (kind: NodeKind, name: string, system: string) => {
    const id = nodeId(kind, name);
    const node = nodes.get(id);
    if (node === undefined) nodes.set(id, { id, kind, name, system: system === '' ? null : system, ...idle });
    else if (node.system === null && system !== '') nodes.set(id, { ...node, system });
    return id;
  };
  for (const row of rows) {
    const isService = row.target_kind === 'external' && services.has(row.target);
    const kind = isService ? 'service' : row.target_kind;
    // A service's own spans are better evidence than those of its callers.
    if (isService && row.source_kind === '') continue;
    const target = know(kind, row.target, kind === 'service' ? '' : row.system);
    const load = loadOf(row, seconds);
    if (row.source_kind === '') {
      const node = nodes.get(target);
      if (node !== undefined) nodes.set(target, { ...node, ...load });
      continue;
    }
    const source = know(row.source_kind, row.source, row.source_kind === 'service' ? '' : row.system);
    const key = JSON.stringify([source, target]);
    const known = edges.get(key);
    // A pair occurs twice only in the rare mixture of the above; the durations are those of the row with more calls.
    edges.set(key, { source, target, ...(known === undefined ? load : joined(known, load)) });
  }
  const byLoad = (a: Load, b: Load) => b.calls - a.calls;
  return {
    nodes: [...nodes.values()].sort((a, b) => byLoad(a, b) || compare(a.id, b.id)),
    edges: [...edges.values()].sort(
      (a, b) => byLoad(a, b) || compare(a.source, b.source) || compare(a.target, b.target),
    ),
  };
}

/** A node, its neighbours, and the edges between them and it. */
export function around({ nodes, edges }: { nodes: readonly MapNode[]; edges: readonly MapEdge[] }, id: string) {
  const own = edges.filter(({ source, target }) => source === id || target === id);
  const shown = new Set([id, ...own.flatMap(({ source, target }) => [source, target])]);
  return { nodes: nodes.filter((node) => shown.has(node.id)), edges: own };
}

const idle: Load = { calls: 0, rate: 0, errors: 0, p50_ns: null, p95_ns: null, p99_ns: null };

function loadOf({ calls, errors, durations }: EdgeRow, seconds: number): Load {
  const [p50 = null, p95 = null, p99 = null] = durations;
  return {
    calls,
    rate: seconds > 0 ? calls / seconds : 0,
    errors: calls > 0 ? errors / calls : 0,
    p50_ns: p50,
    p95_ns: p95,
    p99_ns: p99,
  };
}

function joined(a: Load, b: Load): Load {
  const larger = a.calls >= b.calls ? a : b;
  const calls = a.calls + b.calls;
  const failed = a.errors * a.calls + b.errors * b.calls;
  return { ...larger, calls, rate: a.rate + b.rate, errors: calls > 0 ? failed / calls : 0 };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const minute = 60;

/** Whole minutes, in seconds since the epoch, half-open. */
export interface Minutes {
  readonly from: number;
  readonly to: number;
}

/** The minutes of a window. */
export function wholeMinutes(fromNs: bigint, toNs: bigint): Minutes {
  const perMinute = 60_000_000_000n;
  const up = (ns: bigint) => Number((ns + perMinute - 1n) / perMinute) * minute;
  return { from: Number(fromNs / perMinute) * minute, to: up(toNs) };
}

/** Starts of the five minutes that contain minutes, or a time up to `before` and `after` seconds around them. */
export function fiveMinutesOf(minutes: readonly number[], before: number, after: number): number[] {
  const starts = new Set<number>();
  for (const at of minutes)
    for (let five = at - before - ((at - before) % 300); five < at + minute + after; five += 300) starts.add(five);
  return [...starts];
}

/** The newest minutes that a reader derives in any case, from a sample of traces if they have too many spans. */
export const maxRecentMinutes = 10;
/** Lower than for the job, since a reader is waiting. */
export const maxSpansLive = 200_000;
/** A reader looks for its spans in so many late minutes, with so many spans of all tenants. */
export const maxLateMinutes = 1_440;
const maxSpansToCount = 50_000_000;

/** The part of a window up to the end of the current minute: nothing later is derived. */
export function untilNow({ from, to }: Minutes, now: number): Minutes {
  return { from, to: Math.max(from, Math.min(to, (Math.floor(now / minute) + 1) * minute)) };
}

/** Minutes (their starts, seconds) that a reader may have to derive, the newest first. */
export interface Candidates {
  /** The minutes after the last derived one. */
  readonly recent: readonly number[];
  /** Earlier minutes with spans that their derivation, if any, does not contain. */
  readonly late: readonly number[];
  /** Bounds of the late minutes that are too many to look for the tenant's spans in them. */
  readonly beyond: readonly number[];
}

/**
 * Finds the minutes of a window whose spans are not all derived.
 * @param derivedTo end of the last derived minute; undefined: none
 * @param found the newest {@link maxLateMinutes} + 1 minutes with spans that are not derived, with their number of all
 *   tenants, the newest first
 */
export function candidatesOf(
  window: Minutes,
  derivedTo: number | undefined,
  found: readonly { readonly at: number; readonly spans: number }[],
): Candidates {
  const recentFrom = Math.max(window.from, derivedTo ?? window.from, window.to - maxRecentMinutes * minute);
  const recent: number[] = [];
  for (let at = window.to - minute; at >= recentFrom; at -= minute) recent.push(at);
  const late: number[] = [];
  const beyond: number[] = [];
  let spans = 0;
  for (const one of found.slice(0, maxLateMinutes)) {
    if (one.at >= recentFrom) continue;
    spans += one.spans;
    (spans > maxSpansToCount ? beyond : late).push(one.at);
  }
  // The rest is not listed; it lies between these two.
  const first = found[maxLateMinutes];
  if (first !== undefined) beyond.push(first.at, window.from);
  return { recent, late, beyond };
}

export interface LiveMinutes {
  readonly minutes: readonly number[];
  /** One trace represents so many. */
  readonly sampling: number;
}

/**
 * Chooses the minutes to derive while reading: the recent ones, and as many late ones, the newest first, as need no
 * sample. Of the others the map contains what was derived before, and `missing` says where they are.
 * @param spansOf number of the tenant's spans in a minute; 0 if its derivation contains all of them
 */
export function chooseLive({ recent, late, beyond }: Candidates, spansOf: (minute: number) => number) {
  const minutes = recent.filter((at) => spansOf(at) > 0);
  let spans = minutes.reduce((sum, at) => sum + spansOf(at), 0);
  const sampling = Math.max(1, Math.ceil(spans / maxSpansLive));
  const left = [...beyond];
  for (const at of late) {
    const own = spansOf(at);
    if (own === 0) continue;
    if (spans + own > maxSpansLive) left.push(at);
    else {
      minutes.push(at);
      spans += own;
    }
  }
  const live: LiveMinutes = { minutes, sampling };
  return {
    live,
    missing: left.length === 0 ? undefined : { from: Math.min(...left), to: Math.max(...left) + minute },
  };
}

/** How long after its end a minute is derived, so that its spans have arrived. */
const settleSeconds = 60;
/** Age at which a minute with new spans is derived again; until then, more may arrive. */
const againAfterMinutes = 5;
const backfillMinutes = 60;
const oldestMinutes = 24 * 60;

/**
 * Settled minutes (their starts, seconds) after the last derived one, the oldest first. If none was derived yet, the
 * last hour; older ones are derived like late spans.
 */
export function dueMinutes(derivedTo: number | undefined, nowSeconds: number): number[] {
  const settled = Math.floor((nowSeconds - settleSeconds) / minute) * minute;
  const first =
    derivedTo === undefined
      ? settled - backfillMinutes * minute
      : Math.max(derivedTo, settled - oldestMinutes * minute);
  const due: number[] = [];
  for (let at = first; at < settled; at += minute) due.push(at);
  return due;
}

/** Minutes that begin before this (seconds) are derived again if spans arrived since. */
export function lateBefore(nowSeconds: number): number {
  return Math.floor(nowSeconds / minute) * minute - againAfterMinutes * minute;
}

/** Consecutive minutes that are derived together. */
export interface Portion {
  readonly from: number;
  readonly to: number;
  /** Number of spans that arrived for each of its minutes. */
  readonly arrived: readonly number[];
}

/** Larger portions are sampled by trace: 200k spans took 2 s of CPU. */
export const maxSpansOfPortion = 500_000;
const maxMinutesOfPortion = 60;

/** Divides minutes into portions that a store can derive at once, in the given order. */
export function portionsOf(minutes: readonly number[], spansOf: (minute: number) => number): Portion[] {
  const portions: { from: number; to: number; arrived: number[]; spans: number }[] = [];
  for (const at of minutes) {
    const spans = spansOf(at);
    const last = portions.at(-1);
    const fits = last && last.spans + spans <= maxSpansOfPortion && last.arrived.length < maxMinutesOfPortion;
    if (fits && last.to === at) {
      last.to = at + minute;
      last.arrived.push(spans);
      last.spans += spans;
    } else if (fits && last.from === at + minute) {
      last.from = at;
      last.arrived.unshift(spans);
      last.spans += spans;
    } else portions.push({ from: at, to: at + minute, arrived: [spans], spans });
  }
  return portions.map(({ from, to, arrived }) => ({ from, to, arrived }));
}
