import type { Signal, WalEntry } from '../entry.ts';
import { SampleTranscoder } from '../remote-write/transcoder.ts';
import { millisAt, WireReader } from '../wire/reader.ts';
import { type Arrival, Arrivals, senderOf } from './arrivals.ts';
import { type Block, type BlockLimits, type BlockSource, blockLimitsOf, currentDivision, TableRows } from './block.ts';
import type { BufferPool } from './buffer-pool.ts';
import { type ItemVisitor, type ResourceContext, type ScopeContext, walkItems } from './context.ts';
import { FlagEventTranscoder } from './flag-events.ts';
import { ItemFilter } from './item-filter.ts';
import { LogTranscoder } from './logs.ts';
import { MetricTranscoder } from './metrics.ts';
import type { Columns } from './native/column.ts';
import { logForm, type Origin, pointForm, spanForm } from './native/forms.ts';
import { TableColumns, type TableForm } from './native/table.ts';
import { ProfileTranscoder } from './profiles.ts';
import { partitionOf } from './row-parts.ts';
import type { SeriesCache } from './series-cache.ts';
import { SpanTranscoder } from './spans.ts';
import type { DescriptionTable, TelemetryTable } from './tables.ts';

const HOUR_MS = 3_600_000;

/** Converts the entries of one segment to blocks of rows. Created for each segment, since blocks count from 0. */
export class SegmentTranscoder {
  /** Of descriptions: the rows of other tables are in no answer without them. */
  readonly #described: TableRows[] = [];
  readonly #tables: BlockSource[] = [];
  readonly #limits: BlockLimits;
  readonly #series: SeriesCache;
  readonly #pool: BufferPool;
  readonly #arrivals = new Arrivals();
  readonly #spans: SpanTranscoder;
  readonly #logs: LogTranscoder;
  readonly #metrics: MetricTranscoder;
  readonly #samples: SampleTranscoder;
  readonly #profiles: ProfileTranscoder;
  readonly #flags: FlagEventTranscoder;

  /** Blocks use buffers of the pool; the caller that takes blocks returns the buffers. */
  constructor(series: SeriesCache, pool: BufferPool, limits: BlockLimits = blockLimitsOf(currentDivision, 'logs')) {
    this.#series = series;
    this.#pool = pool;
    this.#limits = limits;
    this.#flags = new FlagEventTranscoder(this.#table('flag_events'));
    this.#spans = new SpanTranscoder(this.#columns(spanForm), this.#flags);
    this.#logs = new LogTranscoder(this.#columns(logForm), this.#flags);
    const points = this.#columns(pointForm);
    this.#metrics = new MetricTranscoder(
      {
        series: this.#descriptions('metric_series'),
        points,
        histograms: this.#table('metric_histograms', 8),
        exemplars: this.#table('exemplars', 12),
      },
      series,
    );
    this.#samples = new SampleTranscoder(points, this.#metrics, series);
    this.#profiles = new ProfileTranscoder(
      { stacks: this.#descriptions('profile_stacks'), samples: this.#table('profile_samples') },
      series,
    );
  }

  #table(name: TelemetryTable, laterBytes?: number): TableRows {
    const rows = new TableRows(name, this.#limits, this.#pool, laterBytes);
    this.#tables.push(rows);
    return rows;
  }

  #descriptions(name: DescriptionTable): TableRows {
    const rows = new TableRows(name, this.#limits, this.#pool);
    this.#described.push(rows);
    return rows;
  }

  #columns<Set extends Columns, Shared extends object>(form: TableForm<Set, Shared>): TableColumns<Set, Shared> {
    const columns = new TableColumns(form, this.#limits, this.#pool);
    this.#tables.push(columns);
    return columns;
  }

  /**
   * Adds the rows of one entry, all of them or none.
   * @throws if the entry cannot be transcoded although it passed the scan; nothing of it is kept.
   */
  add(entry: WalEntry): void {
    const tables = [...this.#described, ...this.#tables];
    for (const table of tables) table.mark();
    const found: (() => void)[] = [];
    try {
      if (entry.signal === 'evaluations') this.#flags.add(entry);
      else if (isRemoteWrite(entry)) this.#samples.write(entry, this.#arrivals);
      else
        walkItems(
          new WireReader(entry.body),
          entry,
          this.#visitor(entry, entry.signal, (arrival) => found.push(arrival)),
        );
    } catch (error) {
      for (const table of tables) table.rollback();
      // Series described in the rolled-back rows must be described again.
      this.#series.clear();
      throw error;
    }
    for (const add of found) add();
  }

  /** Visits each accepted point with its position, series and partition; writes nothing. */
  eachSeries(entry: WalEntry, visit: (index: number, low: number, high: number, partition: number) => void): void {
    if (isRemoteWrite(entry)) {
      this.#samples.eachSeries(entry, visit);
      return;
    }
    const filter = new ItemFilter(entry.refused);
    let resource: ResourceContext | undefined;
    let scope: ScopeContext | undefined;
    let index = 0;
    walkItems(new WireReader(entry.body), entry, {
      resource: (context) => {
        resource = context;
      },
      scope: (context) => {
        scope = context;
      },
      item: (reader, end) => {
        if (resource === undefined || scope === undefined) return;
        this.#metrics.eachSeries(reader, end, entry, resource, scope, (low, high, timeAt) => {
          const position = index++;
          if (!filter.accept()) return;
          visit(position, low, high, partitionOf(millisAt(entry.body, timeAt), entry.retentionDays));
        });
      },
      resourceEnd: () => {},
    });
  }

  #visitor(entry: WalEntry, signal: Signal, arrived: (add: () => void) => void): ItemVisitor {
    const filter = new ItemFilter(entry.refused);
    let resource: ResourceContext | undefined;
    let scope: ScopeContext | undefined;
    let origin: Origin | undefined;
    let items = 0;
    return {
      resource: (context) => {
        resource = context;
        origin = undefined;
        items = 0;
      },
      scope: (context) => {
        scope = context;
        origin = undefined;
      },
      item: (reader, end) => {
        if (resource === undefined || scope === undefined) return;
        origin ??= { entry, resource, scope };
        if (entry.signal === 'metrics') items += this.#metrics.write(reader, end, entry, resource, scope, filter);
        else if (filter.accept()) {
          if (entry.signal === 'profiles') items += this.#profiles.write(reader, end, entry, resource);
          else {
            if (signal === 'traces') this.#spans.write(reader, end, origin);
            else if (signal === 'logs') this.#logs.write(reader, end, origin);
            else throw new Error(`no table takes entries of the signal ${signal}`);
            items++;
          }
        }
      },
      resourceEnd: (bytes) => {
        if (resource === undefined || items === 0) return;
        const { workspace, project, receivedAt } = entry;
        const hour = Math.floor(receivedAt / HOUR_MS);
        const sender = senderOf({ ...resource.names, workspace, project, signal, hour });
        const count = items;
        arrived(() => this.#arrivals.add(sender, count, bytes, receivedAt));
      },
    };
  }

  /** Whether {@link SegmentTranscoder.take} would return any. */
  get hasBlocks(): boolean {
    return [...this.#described, ...this.#tables].some((table) => table.hasBlocks);
  }

  /** Removes and returns the blocks that are complete, descriptions before the rows that they describe. */
  take(): Block[] {
    const blocks = this.#tables.flatMap((table) => table.take());
    if (blocks.length > 0) for (const table of this.#described) table.finish();
    return [...this.#described.flatMap((table) => table.take()), ...blocks];
  }

  /** Completes all blocks and returns the remaining ones, the arrivals, and the number of new series. */
  finish(): { blocks: Block[]; arrivals: Arrival[]; begunSeries: [project: number, count: number][] } {
    this.#flags.finish();
    this.#arrivals.write(this.#table('arrivals'));
    for (const table of this.#tables) table.finish();
    return { blocks: this.take(), arrivals: this.#arrivals.list(), begunSeries: [...this.#metrics.begun] };
  }
}

function isRemoteWrite({ encoding }: WalEntry): boolean {
  return encoding === 'remote-write-1' || encoding === 'remote-write-2';
}
