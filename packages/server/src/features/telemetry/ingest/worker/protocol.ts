import type { Prepared, PrepareLimits, Source } from '@fanion/telemetry';
import type { ClickHouseTarget } from '../../../../platform/clickhouse/index.ts';
import type { Segment } from '../../../../platform/wal/index.ts';
import type { SeriesLimit } from '../limits/series-judge.ts';
import type { Loss } from './losses.ts';

/** What the worker is started with. */
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
  | { type: 'stop' };

/** Why a body was refused, told apart over the border of the thread. */
export type RefusalKind = 'malformed' | 'too-large';

export type FromWorker =
  | { type: 'loading'; segmentId: string }
  | { type: 'loaded'; segmentId: string; result: LoadResult }
  | {
      type: 'prepared';
      id: number;
      body: Uint8Array;
      items: number;
      refused: number[];
      reasons: [string, number][];
      written: Prepared['written'];
    }
  | { type: 'refused'; id: number; kind: RefusalKind; message: string }
  | { type: 'broken'; id: number; message: string }
  /** `undefined`: the store takes inserts again. */
  | { type: 'store'; error: string | undefined };

export interface LoadResult {
  /** Rows acknowledged by the store, by table. */
  rows: Record<string, number>;
  /** Series that each project has begun. */
  begunSeries: [project: number, count: number][];
  /** Entries, damaged ranges and blocks that went to quarantine. */
  quarantined: number;
  quarantinedItems: number;
  /** What of it is known to be whose. */
  losses: Loss[];
}
