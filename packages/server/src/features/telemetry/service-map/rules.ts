export type NodeKind = 'service' | 'database' | 'queue' | 'external';

/** What was called by whom in a window. Without a source: what arrived at the target, from wherever. */
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
 * Nodes and edges of a window of `seconds`. Every end of an edge is a node, also one that nothing arrived at (a program
 * that only calls). Something outside that has the name of a service is that service: its spans were late, or sampled away.
 * The busiest first.
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
    // What a service says of itself is better than what is said of it from outside.
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
    // The same pair twice is the rare mixture of the above; the one with more calls speaks for the durations.
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

/** Minutes (seconds since the epoch) of a window, half-open. */
export function wholeMinutes(fromNs: bigint, toNs: bigint): { from: number; to: number } {
  const perMinute = 60_000_000_000n;
  const up = (ns: bigint) => Number((ns + perMinute - 1n) / perMinute) * minute;
  return { from: Number(fromNs / perMinute) * minute, to: up(toNs) };
}

/** Minutes that are derived while reading, at most. */
export const maxLiveMinutes = 10;

/**
 * Which part of a window is read from what was derived, and which is derived now: what lies behind the last derived
 * minute, as far as it is not in the future and not more than {@link maxLiveMinutes}; what cannot be is missing.
 * @param derivedTo end of the last derived minute; undefined: none was
 */
export function divideWindow(window: { from: number; to: number }, derivedTo: number | undefined, now: number) {
  const end = Math.max(window.from, Math.min(window.to, (Math.floor(now / minute) + 1) * minute));
  const liveFrom = Math.min(end, Math.max(window.from, derivedTo ?? window.from));
  const from = Math.max(liveFrom, end - maxLiveMinutes * minute);
  return {
    end,
    live: from < end ? { from, to: end } : undefined,
    missing: liveFrom < from ? { from: liveFrom, to: from } : undefined,
  };
}

/** Behind the end of a minute, so that its spans have arrived. */
const settleSeconds = 60;
/** From when on a minute that has got spans since is derived again; before, it is waited for more of them. */
const againAfterMinutes = 5;
const backfillMinutes = 60;
const oldestMinutes = 24 * 60;

/**
 * Minutes (their starts, seconds) behind the last derived one that are settled, the oldest first. Where none was derived
 * yet, the last hour; what is older is derived as late spans are.
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

/** Minutes that begin before this (seconds) are derived again where spans have come since. */
export function lateBefore(nowSeconds: number): number {
  return Math.floor(nowSeconds / minute) * minute - againAfterMinutes * minute;
}

/** Minutes one after the other that are derived at once. */
export interface Portion {
  readonly from: number;
  readonly to: number;
  /** What has come of each of its minutes. */
  readonly arrived: readonly number[];
}

/** More spans than this at once are sampled by trace: 200k took 2 s of CPU. */
export const maxSpansOfPortion = 500_000;
const maxMinutesOfPortion = 60;

/** Minutes in portions that a store can derive at once, in the order in which they are given. */
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
