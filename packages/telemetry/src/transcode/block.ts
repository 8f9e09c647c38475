import type { BufferPool } from './buffer-pool.ts';
import { RowWriter } from './row-writer.ts';

/** Rows of one insert, which the store treats as one block. */
export interface Block {
  table: string;
  /** 0, 1, … within the segment and table. */
  number: number;
  rows: number;
  format: 'RowBinary' | 'Native';
  body: Buffer;
  /** Where the values of each column begin in the body, in Native. */
  starts?: ReadonlyMap<string, number>;
}

/**
 * The limits of a block. Small blocks become small parts, and merging those is the store's largest cost; but the store
 * holds a whole block in memory while it writes its part and the tables derived from it.
 */
export interface BlockLimits {
  rows: number;
  bytes: number;
  partitions: number;
  /** Whether columns that follow from others count towards the bytes. Older divisions had no such columns. */
  countsDerived?: true;
}

/**
 * All limits that ever divided segments, by the number in the entries of a segment. A replay must divide a segment as
 * before, because the store recognizes a repeated block by its number. So a change adds a line here.
 */
const divisions: readonly [Division, ...Division[]] = [
  { all: { rows: 480_000, bytes: 160 * 1024 * 1024, partitions: 40 } },
  // With the one before, an insert of log records took more than the 576 MiB that an engine has by default, at each attempt.
  { all: { rows: 240_000, bytes: 24 * 1024 * 1024, partitions: 40 } },
  // An insert of spans takes less memory than one of as many bytes of log records, and larger parts need fewer merges.
  {
    all: { rows: 240_000, bytes: 24 * 1024 * 1024, partitions: 40 },
    traces: { rows: 480_000, bytes: 64 * 1024 * 1024, partitions: 40 },
  },
  {
    all: { rows: 240_000, bytes: 24 * 1024 * 1024, partitions: 40, countsDerived: true },
    traces: { rows: 480_000, bytes: 64 * 1024 * 1024, partitions: 40, countsDerived: true },
  },
  {
    all: { rows: 240_000, bytes: 24 * 1024 * 1024, partitions: 40, countsDerived: true },
    traces: { rows: 480_000, bytes: 64 * 1024 * 1024, partitions: 40, countsDerived: true },
    // A number point takes 45 bytes, so twice the rows fit into the same bytes: one part instead of two or three for each segment.
    metrics: { rows: 480_000, bytes: 24 * 1024 * 1024, partitions: 40, countsDerived: true },
  },
  // For small engines: one of 256 MiB takes no block of 64 MiB, nor one of log records of 48 MiB.
  {
    all: { rows: 240_000, bytes: 24 * 1024 * 1024, partitions: 40, countsDerived: true },
    metrics: { rows: 480_000, bytes: 24 * 1024 * 1024, partitions: 40, countsDerived: true },
  },
  // A segment of log records is one block, too.
  {
    all: { rows: 240_000, bytes: 24 * 1024 * 1024, partitions: 40, countsDerived: true },
    traces: { rows: 480_000, bytes: 64 * 1024 * 1024, partitions: 40, countsDerived: true },
    metrics: { rows: 480_000, bytes: 24 * 1024 * 1024, partitions: 40, countsDerived: true },
    logs: { rows: 480_000, bytes: 48 * 1024 * 1024, partitions: 40, countsDerived: true },
  },
];

interface Division {
  readonly all: BlockLimits;
  /** Of segments of these signals; `all` if absent. */
  readonly traces?: BlockLimits;
  readonly metrics?: BlockLimits;
  readonly logs?: BlockLimits;
}

/** The division of segments that are written now, for engines that are not small. */
export const currentDivision = divisions.length - 1;
const smallDivision = 5;
/** An engine with less is small. */
const LARGE_ENGINE_BYTES = 512 * 1024 * 1024;

/**
 * The division of segments that are written for an engine.
 * @param engineBytes all memory that it may take; undefined: not embedded, and not small
 */
export function divisionFor(engineBytes: number | undefined): number {
  return engineBytes === undefined || engineBytes >= LARGE_ENGINE_BYTES ? currentDivision : smallDivision;
}

/** The limits of a division for segments of a signal; those of the current one for a number of a later version. */
export function blockLimitsOf(division: number, signal: string): BlockLimits {
  const { all, ...own } = divisions[division] ?? divisions[currentDivision] ?? divisions[0];
  return (signal === 'traces' || signal === 'metrics' || signal === 'logs' ? own[signal] : undefined) ?? all;
}

/** The rows of one table from one segment, divided into blocks. */
export interface BlockSource {
  /** Sets the point for {@link BlockSource.rollback}; valid until the next mark, or until blocks are taken. */
  mark(): void;
  /** Discards everything written since the mark. */
  rollback(): void;
  /** Whether blocks are complete and were not taken. */
  readonly hasBlocks: boolean;
  /** Removes and returns the blocks that are complete. */
  take(): Block[];
  /** Completes the last block. */
  finish(): void;
}

interface Mark {
  finished: number;
  length: number;
  rows: number;
  partitions: Set<number>;
}

/**
 * The rows of one table from one segment, divided into blocks. The division depends on the rows alone, so that a replay
 * of the segment gives the same blocks: deduplication is per block.
 */
export class TableRows implements BlockSource {
  readonly table: string;
  readonly row: RowWriter;
  readonly #limits: BlockLimits;
  readonly #pool: BufferPool;
  readonly #laterBytes: number;
  #rows = 0;
  #finished: Block[] = [];
  #given = 0;
  #partitions = new Set<number>();
  #lastPartition = -1;
  #mark: Mark = { finished: 0, length: 0, rows: 0, partitions: new Set() };

  /** @param laterBytes of each row, in columns that were added after the first release: they never count towards the bytes */
  constructor(table: string, limits: BlockLimits, pool: BufferPool, laterBytes = 0) {
    this.table = table;
    this.#limits = limits;
    this.#laterBytes = laterBytes;
    this.#pool = pool;
    this.row = new RowWriter(Buffer.alloc(0));
  }

  /** Begins a row in a partition (any number that identifies it); its values are then written to `row`. */
  begin(partition: number): void {
    const { rows, bytes, partitions } = this.#limits;
    if (this.#rows >= rows || this.row.length - this.#rows * this.#laterBytes >= bytes) this.#cut();
    if (partition !== this.#lastPartition || this.#rows === 0) {
      if (this.#partitions.size === partitions && !this.#partitions.has(partition)) this.#cut();
      this.#partitions.add(partition);
      this.#lastPartition = partition;
    }
    if (this.row.bytes.length === 0) this.row.bytes = this.#pool.take(this.table);
    this.#rows++;
  }

  #cut(): void {
    if (this.#rows === 0) return;
    const body = this.row.bytes.subarray(0, this.row.length);
    const number = this.#given + this.#finished.length;
    this.#finished.push({ table: this.table, number, rows: this.#rows, format: 'RowBinary', body });
    this.row.bytes = Buffer.alloc(0);
    this.row.length = 0;
    this.#rows = 0;
    this.#partitions = new Set();
  }

  mark(): void {
    this.#mark = {
      finished: this.#finished.length,
      length: this.row.length,
      rows: this.#rows,
      partitions: new Set(this.#partitions),
    };
  }

  rollback(): void {
    const mark = this.#mark;
    const cut = this.#finished[mark.finished];
    if (cut !== undefined) this.row.bytes = Buffer.from(cut.body.buffer);
    this.#finished.length = mark.finished;
    this.row.length = mark.length;
    this.#rows = mark.rows;
    this.#partitions = mark.partitions;
    this.#lastPartition = -1;
  }

  get hasBlocks(): boolean {
    return this.#finished.length > 0;
  }

  take(): Block[] {
    const blocks = this.#finished;
    this.#finished = [];
    this.#given += blocks.length;
    return blocks;
  }

  finish(): void {
    this.#cut();
  }
}
