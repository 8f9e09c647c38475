import type { Encoding, Lateness, Prepared, PrepareLimits, Source } from '@fanion/telemetry';
import type { ClickHouseTarget } from '../../../../platform/clickhouse/index.ts';
import type { RecentCalls } from '../../../../platform/recent-points/index.ts';
import type { Segment } from '../../../../platform/wal/index.ts';
import type { SeriesLimit } from '../limits/series-judge.ts';
import type { Loss } from './losses.ts';

/** Start parameters of the worker. */
export interface WorkerOptions {
  clickhouse: ClickHouseTarget;
  quarantineDir: string;
}

export type ToWorker =
  | { type: 'load'; segment: Segment }
  | {
      type: 'prepare';
      id: number;
      source: Omit<Source, 'body'>;
      body: Uint8Array;
      limits: PrepareLimits;
      series?: SeriesLimit;
    }
  | { type: 'recent'; id: number; call: keyof RecentCalls; args: readonly unknown[] }
  | { type: 'stop' };

/** Why a body was rejected, in a form that crosses the thread boundary. */
export type RefusalKind = 'malformed' | 'too-large';

export type FromWorker =
  | { type: 'loading'; segmentId: string }
  | { type: 'loaded'; segmentId: string; result: LoadResult }
  | {
      type: 'prepared';
      id: number;
      body: Uint8Array;
      encoding: Encoding;
      items: number;
      refused: number[];
      reasons: [string, number][];
      isUntimed: boolean;
      earliest: number;
      lateness: Lateness;
      written: Prepared['written'];
    }
  | { type: 'refused'; id: number; kind: RefusalKind; message: string }
  | { type: 'broken'; id: number; message: string }
  | { type: 'recent'; id: number; result?: unknown; error?: string }
  /** `undefined` when the store accepts inserts again. */
  | { type: 'store'; error: string | undefined }
  /** An insert failed and will be repeated. */
  | { type: 'insert-repeated' };

export interface LoadResult {
  /** Rows acknowledged by the store, by table. */
  rows: Record<string, number>;
  /** Seconds of each insert that the store took. */
  insertSeconds: number[];
  /** Series that each project has started. */
  begunSeries: [project: number, count: number][];
  /** Points of each project whose series are among these or were known. */
  points: [project: number, count: number][];
  /** Quarantined entries, damaged ranges and blocks. */
  quarantined: number;
  quarantinedItems: number;
  /** The losses whose owners are known. */
  losses: Loss[];
}
