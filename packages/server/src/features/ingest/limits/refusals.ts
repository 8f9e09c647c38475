import { randomUUID } from 'node:crypto';
import type { ClickHouse } from '../../../platform/clickhouse/index.ts';
import type { Signal } from '../../../platform/wal/index.ts';
import type { IngestPrincipal } from '../principal.ts';
import { RowWriter } from '../transcode/row-writer.ts';
import type { IngestLog } from '../worker/client.ts';
import { SERIES_LIMIT_REASON } from './series-budget.ts';

const HOUR_MS = 3_600_000;
const FLUSH_MS = 5_000;
/** Different counts between two flushes; what comes beyond is still counted, without its reason. */
const MAX_COUNTS = 5_000;
const KIND = { rejected: 1, dropped: 3 } as const;
const columns = ['workspace', 'project', 'environment', 'signal', 'hour', 'kind', 'reason', 'items'];

interface Count {
  workspace: number;
  project: number;
  environment: string;
  signal: Signal;
  hour: number;
  reason: string;
  items: number;
}

export interface Refusals {
  add(principal: IngestPrincipal, signal: Signal, reasons: ReadonlyMap<string, number>, now: number): void;
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

  return {
    add({ workspace, project, environment = '' }, signal, reasons, now) {
      const hour = Math.floor(now / HOUR_MS);
      for (const [given, items] of reasons) {
        const reason = counts.size < MAX_COUNTS || given === SERIES_LIMIT_REASON ? given : '(others)';
        const key = JSON.stringify([project, environment, signal, hour, reason]);
        const count = counts.get(key);
        if (count !== undefined) count.items += items;
        else counts.set(key, { workspace, project, environment, signal, hour, reason, items });
      }
    },
    flush,
    abandon: () => clearInterval(timer),
    async stop() {
      clearInterval(timer);
      await flush().catch((error: unknown) => log.warn({ err: error }, 'counts of refused telemetry were lost'));
    },
  };
}

function encode(counts: readonly Count[]): Buffer {
  const row = new RowWriter();
  for (const { workspace, project, environment, signal, hour, reason, items } of counts) {
    row.reserve(8);
    row.uint32(workspace);
    row.uint32(project);
    row.text(environment);
    row.text(signal);
    row.reserve(5);
    row.uint32(hour * 3600);
    row.uint8(reason === SERIES_LIMIT_REASON ? KIND.dropped : KIND.rejected);
    row.text(reason);
    row.reserve(8);
    row.integer64(items);
  }
  return Buffer.from(row.bytes.subarray(0, row.length));
}
