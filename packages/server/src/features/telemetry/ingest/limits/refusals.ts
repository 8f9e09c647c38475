import { randomUUID } from 'node:crypto';
import type { Signal } from '@fanion/telemetry';
import { RowWriter } from '@fanion/telemetry';
import type { ClickHouse } from '../../../../platform/clickhouse/index.ts';
import type { Labeled } from '../../../../platform/own-metrics.ts';
import type { IngestLog } from '../worker/client.ts';
import { SERIES_LIMIT_REASON } from './series-budget.ts';

const HOUR_MS = 3_600_000;
const FLUSH_MS = 5_000;
const OTHERS = '(others)';
/** Distinct counts between two flushes; further ones are counted without their reason. */
const MAX_COUNTS = 5_000;
/** Distinct totals; further reasons are added to those of all others. */
const MAX_TOTALS = 200;
/**
 * Values of the column: `refused` counts whole requests, whose items are unknown, `repeated` the requests and the items of requests that
 * were stored before, by reason; the others count items.
 */
const KIND = { rejected: 1, quarantined: 2, dropped: 3, refused: 4, repeated: 5 } as const;
export type RefusalKind = keyof typeof KIND;
const columns = ['workspace', 'project', 'environment', 'signal', 'hour', 'kind', 'reason', 'items'];

/** The sender. */
export interface Refusal {
  workspace: number;
  project: number;
  environment?: string | undefined;
  signal: Signal;
}

interface Count extends Required<Refusal> {
  environment: string;
  hour: number;
  kind: RefusalKind;
  reason: string;
  items: number;
}

export interface Refusals {
  add(of: Refusal, kind: RefusalKind, reason: string, items: number, now: number): void;
  /** Counts items that a scan rejected. */
  addRejected(of: Refusal, reasons: ReadonlyMap<string, number>, now: number): void;
  /** Of all senders since the start, by signal, kind and reason. */
  totals(): Labeled[];
  /** Writes the counts to the store. */
  flush(): Promise<void>;
  stop(): Promise<void>;
  /** Stops without another attempt. */
  abandon(): void;
}

type Totals = Map<string, { labels: Labeled[0]; items: number }>;

/**
 * Counts rejected data by project and reason, and writes the sums to the store every few seconds. Senders get the error
 * at once; these counts are for people. A process that is killed loses the counts of its last seconds.
 */
export function countRefusals(store: ClickHouse, log: IngestLog): Refusals {
  let counts = new Map<string, Count>();
  /** A batch whose outcome is unknown keeps its token, so that it counts once. */
  const totals: Totals = new Map();
  let unsent: { token: string; body: Buffer } | undefined;
  let running: Promise<void> | undefined;

  async function send(): Promise<void> {
    if (unsent === undefined && counts.size > 0) {
      unsent = { token: randomUUID(), body: encode([...counts.values()]) };
      counts = new Map();
    }
    if (unsent === undefined) return;
    await store.insert('ingest_refusals', columns, 'RowBinary', unsent.body, { token: `refusals/${unsent.token}` });
    unsent = undefined;
  }

  function flush(): Promise<void> {
    running ??= send().finally(() => {
      running = undefined;
    });
    return running;
  }
  const timer = setInterval(() => {
    flush().catch((error: unknown) => log.warn({ err: error }, 'counts of rejected telemetry wait for the store'));
  }, FLUSH_MS).unref();

  const add: Refusals['add'] = ({ workspace, project, environment = '', signal }, kind, given, items, now) => {
    // Repeated requests are no loss, and have a metric of their own.
    if (kind !== 'repeated') addTotal(totals, { signal, kind, reason: given }, items);
    const hour = Math.floor(now / HOUR_MS);
    const keyOf = (reason: string) => JSON.stringify([project, environment, signal, hour, kind, reason]);
    const known = counts.get(keyOf(given));
    const reason = known !== undefined || counts.size < MAX_COUNTS ? given : OTHERS;
    const count = known ?? counts.get(keyOf(reason));
    if (count !== undefined) count.items += items;
    else counts.set(keyOf(reason), { workspace, project, environment, signal, hour, kind, reason, items });
  };

  return {
    add,
    totals: () => [...totals.values()].map(({ labels, items }) => [labels, items]),
    addRejected(of, reasons, now) {
      for (const [reason, items] of reasons)
        add(of, reason === SERIES_LIMIT_REASON ? 'dropped' : 'rejected', reason, items, now);
    },
    flush,
    abandon: () => clearInterval(timer),
    async stop() {
      clearInterval(timer);
      await flush().catch((error: unknown) => log.warn({ err: error }, 'counts of rejected telemetry were lost'));
    },
  };
}

function addTotal(totals: Totals, labels: { signal: Signal; kind: RefusalKind; reason: string }, items: number): void {
  const isKept = totals.has(JSON.stringify(labels)) || totals.size < MAX_TOTALS;
  const kept = isKept ? labels : { ...labels, reason: OTHERS };
  const total = totals.get(JSON.stringify(kept)) ?? { labels: kept, items: 0 };
  total.items += items;
  totals.set(JSON.stringify(kept), total);
}

/** Replaces a message that quotes the request, which would otherwise be a new reason each time. */
export function countedReason(message: string): string {
  return /^[\p{L}\p{N} ,;'’()/._+-]{1,200}$/u.test(message) ? message.replace(/\d+/g, 'N') : 'the body cannot be read';
}

function encode(counts: readonly Count[]): Buffer {
  const row = new RowWriter();
  for (const { workspace, project, environment, signal, hour, kind, reason, items } of counts) {
    row.reserve(8);
    row.uint32(workspace);
    row.uint32(project);
    row.text(environment);
    row.text(signal);
    row.reserve(5);
    row.uint32(hour * 3600);
    row.uint8(KIND[kind]);
    row.text(reason);
    row.reserve(8);
    row.integer64(items);
  }
  return Buffer.from(row.bytes.subarray(0, row.length));
}
