import { type Fingerprint, fingerprint } from '../../store-copy/fingerprint-store.ts';
import { type Block, type Part, planBlocks, type StoredPart, splitBlock } from '../../store-copy/rules.ts';
import { appliedTelemetry } from '../../store-copy/telemetry-content-store.ts';
import {
  countActive,
  listParts,
  listTelemetryTables,
  readBlock,
  type TelemetrySide,
  type TelemetryTable,
} from '../../store-copy/telemetry-store.ts';
import { type CopiedTable, MOST_ROW_BYTES, type RowsManifest, rowsPath } from '../manifest.ts';
import { inParallel } from '../s3/parallel.ts';
import { pack, type RowFiles } from './row-files.ts';
import { addHashes, type ReadBlock, repairReads } from './rules.ts';

/** Each holds a block in memory. More would take the store's processors from queries. */
const PARTITIONS_AT_ONCE = 2;
/** How often parts of one partition may be gone before they are read. Each time, only what replaced them is read. */
const MOST_ROUNDS = 50;

export interface ReadTelemetryOptions {
  readonly files: RowFiles;
  readonly signal: AbortSignal;
  readonly onRows: (done: number, total: number) => void;
}

/** A block that was read, with what the manifest says of its rows. */
interface Read extends ReadBlock {
  readonly content: Fingerprint;
}

/**
 * Reads telemetry, a partition at a time, while it is written and merged. A part never changes, and it is read as a whole if it still
 * exists afterwards. One that does not is replaced by the part that has its rows now.
 * @returns what the manifest says of it
 */
export async function readTelemetry(
  side: TelemetrySide,
  { files, signal, onRows }: ReadTelemetryOptions,
): Promise<RowsManifest['telemetry']> {
  const migrations = await appliedTelemetry(side);
  const tables = await listTelemetryTables(side);
  const parts = await listParts(side);
  const total = parts.reduce((sum, part) => sum + part.rows, 0);
  let done = 0;
  const copied = new Map(tables.map((table) => [table.name, copiedOf(table)]));
  const numbers = new Map<string, number>();
  const nextPath = (table: string) => {
    const number = (numbers.get(table) ?? 0) + 1;
    numbers.set(table, number);
    return rowsPath('telemetry', table, number);
  };
  await inParallel(partitionsOf(parts), PARTITIONS_AT_ONCE, async ({ table: name, partition }) => {
    const table = tables.find((one) => one.name === name);
    if (table === undefined) throw new Error(`the table ${name} was created while the backup ran; take it again`);
    const onBlock = (rows: number) => {
      done += rows;
      onRows(Math.min(done, total), total);
    };
    const reads = await readPartition(side, { table, partition, nextPath, files, signal, onBlock });
    copied.set(
      name,
      reads.reduce((sum, { content }) => withRows(sum, content), copied.get(name) ?? copiedOf(table)),
    );
  });
  return { migrations, tables: [...copied.values()] };
}

function copiedOf({ name, columns, states }: TelemetryTable): CopiedTable {
  return { name, columns: [...columns], rows: 0, hash: '0', states: states && '0' };
}

function withRows(sum: CopiedTable, { rows, hash, states }: Fingerprint): CopiedTable {
  return {
    ...sum,
    rows: sum.rows + Number(rows),
    hash: addHashes(sum.hash ?? '0', hash),
    states: sum.states && states && addHashes(sum.states, states),
  };
}

function partitionsOf(parts: readonly Part[]): { table: string; partition: string }[] {
  const found = new Map(parts.map(({ table, partition }) => [`${table}/${partition}`, { table, partition }]));
  return [...found.values()];
}

interface PartitionOf {
  readonly table: TelemetryTable;
  readonly partition: string;
  readonly nextPath: (table: string) => string;
  readonly files: RowFiles;
  readonly signal: AbortSignal;
  readonly onBlock: (rows: number) => void;
}

async function readPartition(side: TelemetrySide, of: PartitionOf): Promise<Read[]> {
  const { table, partition, files } = of;
  let reads: Read[] = [];
  let wanted = await listParts(side, { table: table.name, partition });
  for (let round = 0; wanted.length > 0; round++) {
    if (round === MOST_ROUNDS)
      throw new Error(`parts of ${table.name}, partition ${partition}, are merged faster than they can be read`);
    const { read, lost } = await readParts(side, of, wanted);
    const all = [...reads, ...read];
    if (lost.length === 0) return all;
    const active = await listParts(side, { table: table.name, partition });
    const repaired = repairReads(all, lost, active);
    await files.drop(repaired.dropped.map(({ path }) => path));
    const kept = new Set(repaired.kept.map(({ path }) => path));
    reads = all.filter(({ path }) => kept.has(path));
    wanted = repaired.wanted;
  }
  return reads;
}

/** Small parts first: they are merged soonest. */
async function readParts(
  side: TelemetrySide,
  of: PartitionOf,
  parts: readonly StoredPart[],
): Promise<{ read: Read[]; lost: StoredPart[] }> {
  const read: Read[] = [];
  const lost: StoredPart[] = [];
  const waiting = planBlocks(parts.toSorted((a, b) => a.rows - b.rows));
  for (let block = waiting.shift(); block !== undefined; block = waiting.shift()) {
    of.signal.throwIfAborted();
    const { parts: names } = block;
    const ofBlock = parts.filter(({ name }) => names.includes(name));
    const result = await readOne(side, of, block, ofBlock);
    if (result === 'gone') lost.push(...ofBlock);
    else if (result === 'too large') waiting.unshift(...smaller(of.table, block, parts));
    else {
      read.push(result);
      of.onBlock(Number(result.content.rows));
    }
  }
  return { read, lost };
}

function smaller(table: TelemetryTable, block: Block, parts: readonly Part[]): Block[] {
  const split = splitBlock(block, parts);
  if (split.length === 0) throw new Error(`a row of ${table.name} is larger than ${MOST_ROW_BYTES} bytes`);
  return split;
}

async function readOne(
  side: TelemetrySide,
  { table, nextPath, files, signal }: PartitionOf,
  block: Block,
  parts: readonly StoredPart[],
): Promise<Read | 'gone' | 'too large'> {
  const content = await readBlock(side, { table, block, signal }, MOST_ROW_BYTES);
  if (content === 'too large') return content;
  const read = await fingerprint(side, table, block);
  // Both were of all parts only if these are still there.
  if ((await countActive(side, { table: table.name, parts: block.parts })) < block.parts.length) return 'gone';
  const path = nextPath(table.name);
  const rows = Number(read.rows);
  if (rows > 0) await files.put(await pack(path, content, rows));
  return { path, parts, content: read };
}
