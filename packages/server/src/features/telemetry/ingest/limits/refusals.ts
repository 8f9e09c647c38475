import { randomUUID } from 'node:crypto';
import type { Signal } from '@fanion/telemetry';
import { RowWriter } from '@fanion/telemetry';
import type { ClickHouse } from '../../../../platform/clickhouse/index.ts';
import type { IngestLog } from '../worker/client.ts';
import { SERIES_LIMIT_REASON } from './series-budget.ts';

const HOUR_MS = 3_600_000;
const FLUSH_MS = 5_000;
/** Different counts between two flushes; what comes beyond is still counted, without its reason. */
const MAX_COUNTS = 5_000;
/** As the column has them: `refused` counts whole requests, whose items nobody knows; the others count items. */
const KIND = { rejected: 1, quarantined: 2, dropped: 3, refused: 4 } as const;
export type RefusalKind = keyof typeof KIND;
const columns = ['workspace', 'project', 'environment', 'signal', 'hour', 'kind', 'reason', 'items'];

/** Whose they were. */
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
  /** Items that a scan refused. */
  addRejected(of: Refusal, reasons: ReadonlyMap<string, number>, now: number): void;
  /** Brings what was counted into the store. */
  flush(): Promise<void>;
  stop(): Promise<void>;
  /** Ends without another attempt. */
  abandon(): void;
}

/**
 * Counts what was refused of each project and why, and brings the sums into the store every few seconds. Senders are
 * told at once; these counts are for people, and those of the last seconds end with the process if it is killed.
 */
export function countRefusals(store: ClickHouse, log: IngestLog): Refusals {
  let counts = new Map<string, Count>();
  /** A batch whose fate is not known keeps its token, so that it counts once. */
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
    flush().catch((error: unknown) => log.warn({ err: error }, 'counts of refused telemetry wait for the store'));
  }, FLUSH_MS).unref();

  const add: Refusals['add'] = ({ workspace, project, environment = '', signal }, kind, given, items, now) => {
    const hour = Math.floor(now / HOUR_MS);
    const keyOf = (reason: string) => JSON.stringify([project, environment, signal, hour, kind, reason]);
    const known = counts.get(keyOf(given));
    const reason = known !== undefined || counts.size < MAX_COUNTS ? given : '(others)';
    const count = known ?? counts.get(keyOf(reason));
    if (count !== undefined) count.items += items;
    else counts.set(keyOf(reason), { workspace, project, environment, signal, hour, kind, reason, items });
  };

  return {
    add,
    addRejected(of, reasons, now) {
      for (const [reason, items] of reasons)
        add(of, reason === SERIES_LIMIT_REASON ? 'dropped' : 'rejected', reason, items, now);
    },
    flush,
    abandon: () => clearInterval(timer),
    async stop() {
      clearInterval(timer);
      await flush().catch((error: unknown) => log.warn({ err: error }, 'counts of refused telemetry were lost'));
    },
  };
}

/** A message that has something of the request in it would be another reason each time. */
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
