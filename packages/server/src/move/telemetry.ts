import { setTimeout as delay } from 'node:timers/promises';
import { type Fingerprint, fingerprint } from '../store-copy/fingerprint-store.ts';
import { type Part, planBlocks } from '../store-copy/rules.ts';
import {
  copyBlock,
  countChanges,
  dropPartition,
  listParts,
  type TelemetrySide,
  type TelemetryTable,
  tokenOf,
} from '../store-copy/telemetry-store.ts';
import type { CopiedPartition, Journal } from './journal.ts';

/** Small parts cost waits, for both stores and their disks, more than work. */
const PARTITIONS_AT_ONCE = 4;

/** How far a copy is, in rows. */
export type OnRows = (done: number, total: number) => void;

export interface TelemetryCopyOptions {
  readonly from: TelemetrySide;
  readonly to: TelemetrySide;
  readonly tables: readonly TelemetryTable[];
  readonly journal: Journal;
  readonly signal: AbortSignal;
  readonly onRows: OnRows;
}

/** Brings the target up to the source, again and again, until nothing is written to the source any more. */
export class TelemetryCopy {
  readonly #options: TelemetryCopyOptions;
  /** Partitions that were compared after they had been copied. */
  readonly #compared = new Set<string>();
  #rows = 0;

  constructor(options: TelemetryCopyOptions) {
    this.#options = options;
  }

  /** Copies the parts that the target does not have. What it has of parts that are gone is copied again. */
  async copy(): Promise<void> {
    const { from, journal, onRows } = this.#options;
    const active = byPartition(await listParts(from));
    for (const { table, partition, parts } of journal.partitions()) {
      const names = new Set(active.get(`${table}/${partition}`)?.map(({ name }) => name));
      if ([...parts].some((name) => !names.has(name))) await this.#reset(table, partition);
    }
    this.#rows = [...active.values()].flat().reduce((sum, part) => sum + part.rows, 0);
    const missing = [...active.values()]
      .flat()
      .filter(({ table, partition, name }) => !journal.partition(table, partition)?.parts.has(name));
    let done = this.#rows - missing.reduce((sum, part) => sum + part.rows, 0);
    const waiting = [...active.values()];
    const work = async () => {
      for (let parts = waiting.shift(); parts !== undefined; parts = waiting.shift())
        await this.#copyPartition(parts, (more) => {
          done += more;
          onRows(Math.min(done, this.#rows), this.#rows);
        });
    };
    await Promise.all(Array.from({ length: PARTITIONS_AT_ONCE }, work));
  }

  /**
   * Compares rows and hashes of each partition on both sides, while the parts of the source stay as they are.
   * @returns the partitions that differ, which the next copy replaces
   */
  async compare(): Promise<string[]> {
    const { journal, to, signal } = this.#options;
    const known = journal.partitions();
    const keys = new Set(known.map(({ table, partition }) => `${table}/${partition}`));
    // Nothing else writes to the target: it would be of a block whose plan was lost with the power.
    for (const [key, [part]] of byPartition(await listParts(to)))
      if (!keys.has(key) && part !== undefined) await dropPartition(to, part.table, part.partition);
    const differing: string[] = [];
    for (const copied of known) {
      const key = `${copied.table}/${copied.partition}`;
      if (this.#compared.has(key)) continue;
      signal.throwIfAborted();
      if (await this.#differs(copied)) {
        differing.push(key);
        await this.#reset(copied.table, copied.partition);
      } else this.#compared.add(key);
    }
    return differing;
  }

  /** Rows of the source when it was last copied. */
  rows(): number {
    return this.#rows;
  }

  #tableOf(name: string): TelemetryTable {
    const table = this.#options.tables.find((known) => known.name === name);
    if (table === undefined) throw new Error(`the target has no table ${name}`);
    return table;
  }

  async #reset(table: string, partition: string): Promise<void> {
    this.#compared.delete(`${table}/${partition}`);
    await dropPartition(this.#options.to, table, partition);
    this.#options.journal.reset(table, partition);
  }

  async #copyPartition(parts: readonly Part[], onBlock: (rows: number) => void): Promise<void> {
    const { journal, signal, from, to } = this.#options;
    const [first] = parts;
    if (first === undefined) return;
    const { table, partition } = first;
    const known = journal.partition(table, partition);
    const rest = parts.filter(({ name }) => !known?.parts.has(name));
    const blocks = [...(known?.unfinished ?? []), ...journal.plan(table, partition, planBlocks(rest))];
    if (blocks.length > 0) this.#compared.delete(`${table}/${partition}`);
    for (const block of blocks) {
      signal.throwIfAborted();
      await copyBlock(from, to, {
        table: this.#tableOf(table),
        block,
        token: tokenOf(journal.id, block.number),
        signal,
      });
      journal.done(table, partition, block);
      const whole = () =>
        parts.filter(({ name }) => block.parts.includes(name)).reduce((sum, part) => sum + part.rows, 0);
      onBlock(block.from === undefined || block.to === undefined ? whole() : block.to - block.from);
    }
  }

  async #differs({ table, partition, parts }: CopiedPartition): Promise<boolean> {
    const [source, target] = await Promise.all([
      fingerprint(this.#options.from, this.#tableOf(table), { partition, among: parts }),
      fingerprint(this.#options.to, this.#tableOf(table), { partition }),
    ]);
    return !isSame(source, target);
  }
}

function isSame(one: Fingerprint, other: Fingerprint): boolean {
  return one.rows === other.rows && one.hash === other.hash && one.states === other.states;
}

function byPartition(parts: readonly Part[]): Map<string, Part[]> {
  const found = new Map<string, Part[]>();
  for (const part of parts) {
    const key = `${part.table}/${part.partition}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, [part]);
    else known.push(part);
  }
  return found;
}

/** How long changes of existing rows may take, such as the deletion of a project. */
const CHANGES_MS = 600_000;
const POLL_MS = 250;

/** Waits until no change of existing rows is pending: merges must run for it. */
export async function settleChanges(side: TelemetrySide, signal: AbortSignal): Promise<void> {
  const latest = performance.now() + CHANGES_MS;
  while ((await countChanges(side)) > 0) {
    if (performance.now() > latest)
      throw new Error('the telemetry store is still deleting rows; run fanion move again later');
    await delay(POLL_MS, undefined, { signal });
  }
}
