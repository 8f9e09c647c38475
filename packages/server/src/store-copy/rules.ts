/** A part of a table: its rows never change, and its name is never used again. */
export interface Part {
  readonly table: string;
  readonly partition: string;
  readonly name: string;
  readonly rows: number;
  /** Uncompressed. */
  readonly bytes: number;
}

/** A part with the range of blocks that were inserted into it. The part that a merge makes has the ranges of all that it replaces. */
export interface StoredPart extends Part {
  readonly firstBlock: number;
  readonly lastBlock: number;
}

/** Rows that are read and inserted at once: those of whole parts, or a range of one part's rows. */
export interface Block {
  readonly parts: readonly string[];
  /** The first row of the range; absent: all rows of the parts. */
  readonly from?: number | undefined;
  /** The row after the range. */
  readonly to?: number | undefined;
}

export interface BlockLimits {
  readonly rows: number;
  readonly bytes: number;
}

/** Held in memory as a whole, here and in both stores. */
export const blockLimits: BlockLimits = { rows: 250_000, bytes: 16 * 1024 ** 2 };

/** Divides the parts of one partition into blocks: small parts together, large ones by their rows. */
export function planBlocks(parts: readonly Part[], limits: BlockLimits = blockLimits): Block[] {
  const blocks: Block[] = [];
  let together: Part[] = [];
  const flush = () => {
    if (together.length > 0) blocks.push({ parts: together.map(({ name }) => name) });
    together = [];
  };
  for (const part of parts) {
    const least = Math.max(part.rows / limits.rows, part.bytes / limits.bytes);
    if (least > 1) {
      const step = Math.max(1, Math.floor(part.rows / least));
      for (let from = 0; from < part.rows; from += step)
        blocks.push({ parts: [part.name], from, to: Math.min(part.rows, from + step) });
      continue;
    }
    if (sum(together, 'rows') + part.rows > limits.rows || sum(together, 'bytes') + part.bytes > limits.bytes) flush();
    together.push(part);
  }
  flush();
  return blocks;
}

function sum(parts: readonly Part[], key: 'rows' | 'bytes'): number {
  return parts.reduce((total, part) => total + part[key], 0);
}

/**
 * Divides a block that has turned out to be too large: into its parts, or into halves of its rows.
 * @param parts those of the block, among others
 * @returns nothing for a single row
 */
export function splitBlock(block: Block, parts: readonly Part[]): Block[] {
  if (block.parts.length > 1) return block.parts.map((name) => ({ parts: [name] }));
  const rows = parts.find(({ name }) => name === block.parts[0])?.rows ?? 0;
  const { from = 0, to = rows } = block;
  const middle = Math.floor((from + to) / 2);
  return middle === from
    ? []
    : [
        { ...block, from, to: middle },
        { ...block, from: middle, to },
      ];
}

/** One table refers to another by a foreign key. */
export interface Reference {
  readonly from: string;
  readonly to: string;
}

/**
 * Orders tables so that each comes after those to which it refers.
 * @throws Error if they refer to each other in a circle
 */
export function tablesInOrder(names: readonly string[], references: readonly Reference[]): string[] {
  const ordered: string[] = [];
  const waiting = new Set(names);
  while (waiting.size > 0) {
    const ready = [...waiting].filter((name) =>
      references.every(({ from, to }) => from !== name || to === name || !waiting.has(to)),
    );
    if (ready.length === 0) throw new Error(`tables refer to each other in a circle: ${[...waiting].join(', ')}`);
    for (const name of ready) waiting.delete(name);
    ordered.push(...ready);
  }
  return ordered;
}
