import type { WalEntry } from '../../../platform/wal/index.ts';
import { WireReader } from '../wire/reader.ts';
import { type Arrival, Arrivals } from './arrivals.ts';
import { type Block, type BlockLimits, blockLimits, TableRows } from './block.ts';
import type { BufferPool } from './buffer-pool.ts';
import { type ItemVisitor, type ResourceContext, type ScopeContext, walkItems } from './context.ts';
import { ItemFilter } from './item-filter.ts';
import { LogTranscoder } from './logs.ts';
import { MetricTranscoder } from './metrics.ts';
import { ProfileTranscoder } from './profiles.ts';
import type { SeriesCache } from './series-cache.ts';
import { SpanTranscoder } from './spans.ts';
import type { TelemetryTable } from './tables.ts';

const HOUR_MS = 3_600_000;

/** Turns the entries of one segment into blocks of rows. Made anew for each segment, since blocks count from 0. */
export class SegmentTranscoder {
  readonly #tables = new Map<TelemetryTable, TableRows>();
  readonly #limits: BlockLimits;
  readonly #series: SeriesCache;
  readonly #pool: BufferPool;
  readonly #arrivals = new Arrivals();
  readonly #spans: SpanTranscoder;
  readonly #logs: LogTranscoder;
  readonly #metrics: MetricTranscoder;
  readonly #profiles: ProfileTranscoder;

  /** Blocks are made in buffers of the pool; whoever takes blocks gives the buffers back. */
  constructor(series: SeriesCache, pool: BufferPool, limits: BlockLimits = blockLimits) {
    this.#series = series;
    this.#pool = pool;
    this.#limits = limits;
    this.#spans = new SpanTranscoder(this.#table('spans'));
    this.#logs = new LogTranscoder(this.#table('logs'));
    this.#metrics = new MetricTranscoder(
      {
        series: this.#table('metric_series'),
        points: this.#table('metric_points'),
        histograms: this.#table('metric_histograms'),
        exemplars: this.#table('exemplars'),
      },
      series,
    );
    this.#profiles = new ProfileTranscoder(
      { stacks: this.#table('profile_stacks'), samples: this.#table('profile_samples') },
      series,
    );
  }

  #table(name: TelemetryTable): TableRows {
    const rows = new TableRows(name, this.#limits, this.#pool);
    this.#tables.set(name, rows);
    return rows;
  }

  /**
   * Adds the rows of one entry, all of them or none.
   * @throws when the entry cannot be transcoded, although it has passed the scan; nothing of it is kept.
   */
  add(entry: WalEntry): void {
    const marks = [...this.#tables.values()].map((rows) => ({ rows, mark: rows.mark() }));
    const arrivals: Arrival[] = [];
    try {
      walkItems(new WireReader(entry.body), entry, this.#visitor(entry, arrivals));
    } catch (error) {
      for (const { rows, mark } of marks) rows.rollback(mark);
      // Series that were described in what has just been taken back must be described again.
      this.#series.clear();
      throw error;
    }
    for (const arrival of arrivals) this.#arrivals.add(arrival);
  }

  #visitor(entry: WalEntry, arrivals: Arrival[]): ItemVisitor {
    const filter = new ItemFilter(entry.refused);
    let resource: ResourceContext | undefined;
    let scope: ScopeContext | undefined;
    let items = 0;
    return {
      resource: (context) => {
        resource = context;
        items = 0;
      },
      scope: (context) => {
        scope = context;
      },
      item: (reader, end) => {
        if (resource === undefined || scope === undefined) return;
        if (entry.signal === 'metrics') items += this.#metrics.write(reader, end, entry, resource, scope, filter);
        else if (filter.accept()) {
          if (entry.signal === 'profiles') items += this.#profiles.write(reader, end, entry, resource);
          else {
            if (entry.signal === 'traces') this.#spans.write(reader, end, entry, resource, scope);
            else this.#logs.write(reader, end, entry, resource, scope);
            items++;
          }
        }
      },
      resourceEnd: (bytes) => {
        if (resource === undefined || items === 0) return;
        const { workspace, project, signal, receivedAt } = entry;
        const hour = Math.floor(receivedAt / HOUR_MS);
        const at = { firstAt: receivedAt, lastAt: receivedAt };
        arrivals.push({ ...resource.names, workspace, project, signal, hour, items, bytes, ...at });
      },
    };
  }

  /** Removes and returns the blocks that are complete. */
  take(): Block[] {
    return [...this.#tables.values()].flatMap((rows) => rows.take());
  }

  /** Completes all blocks and returns those that are left, and who sent what. */
  finish(): { blocks: Block[]; arrivals: Arrival[] } {
    this.#arrivals.write(this.#table('arrivals'));
    for (const rows of this.#tables.values()) rows.finish();
    return { blocks: this.take(), arrivals: this.#arrivals.list() };
  }
}
