import type { Columns } from './native/column.ts';

/** Buffers kept per table: one block being filled and those that the inserter holds. */
const KEPT_PER_NAME = 3;
const SMALLEST_KEPT = 1 << 20;
const FIRST_BYTES = 1 << 16;

/**
 * Reusable buffers for blocks: new memory of this size costs a page fault for every 4 KiB, which is more than writing
 * the rows.
 */
export class BufferPool {
  readonly #kept = new Map<string, Buffer[]>();
  readonly #columns = new Map<string, Columns[]>();

  /** A buffer of any size for the rows of this table. */
  take(name: string): Buffer {
    return this.#kept.get(name)?.pop() ?? Buffer.allocUnsafeSlow(FIRST_BYTES);
  }

  /** Takes back a buffer from {@link BufferPool.take}, or a grown copy or a part of it. */
  give(name: string, used: Buffer): void {
    if (used.buffer.byteLength < SMALLEST_KEPT) return;
    const kept = this.#kept.get(name) ?? [];
    this.#kept.set(name, kept);
    if (kept.length < KEPT_PER_NAME) kept.push(Buffer.from(used.buffer));
  }

  /** Empty columns for the rows of this table, with their earlier memory. */
  takeColumns<Set extends Columns>(name: string, create: () => Set): Set {
    // Columns under a name were created by the `create` of that name.
    return (this.#columns.get(name)?.pop() as Set | undefined) ?? create();
  }

  /** Takes back cleared columns from {@link BufferPool.takeColumns}. */
  giveColumns(name: string, columns: Columns): void {
    const kept = this.#columns.get(name) ?? [];
    this.#columns.set(name, kept);
    if (kept.length < KEPT_PER_NAME) kept.push(columns);
  }

  clear(): void {
    this.#kept.clear();
    this.#columns.clear();
  }
}
