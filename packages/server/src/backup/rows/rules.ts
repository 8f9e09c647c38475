import type { StoredPart } from '../../store-copy/rules.ts';

/** A block that was read, with the file that it became. */
export interface ReadBlock {
  readonly path: string;
  readonly parts: readonly StoredPart[];
}

/** Whether a part contains the rows of another: it is the same part, or a merge of the other and its neighbors. */
export function covers(part: StoredPart, other: StoredPart): boolean {
  return part.firstBlock <= other.firstBlock && other.lastBlock <= part.lastBlock;
}

/**
 * What to read after parts of a partition were gone before they were read: the parts that have their rows now. Blocks that were read from
 * other parts of which these were made are dropped, so that each row is in one block. Parts without a successor had no rows any more.
 * @param lost parts of which a read may have been incomplete
 * @param active parts that exist now
 */
export function repairReads(
  reads: readonly ReadBlock[],
  lost: readonly StoredPart[],
  active: readonly StoredPart[],
): { readonly kept: ReadBlock[]; readonly dropped: ReadBlock[]; readonly wanted: StoredPart[] } {
  const wanted = new Set<StoredPart>();
  const lostNames = new Set(lost.map(({ name }) => name));
  const isWanted = (part: StoredPart) => [...wanted].some((one) => covers(one, part));
  const dropped: ReadBlock[] = [];
  let kept = [...reads];
  for (let open = [...lost]; open.length > 0; ) {
    for (const part of open) {
      const successor = active.find((one) => covers(one, part));
      if (successor !== undefined) wanted.add(successor);
    }
    const isVoid = ({ parts }: ReadBlock) => parts.some((part) => lostNames.has(part.name) || isWanted(part));
    const more = kept.filter(isVoid);
    kept = kept.filter((read) => !isVoid(read));
    dropped.push(...more);
    open = more.flatMap(({ parts }) => parts).filter((part) => !isWanted(part) && !lostNames.has(part.name));
    for (const part of open) lostNames.add(part.name);
  }
  return { kept, dropped, wanted: [...wanted] };
}

/** The sum of hashes of blocks, as the store adds them up. */
export function addHashes(one: string, other: string): string {
  return String(BigInt.asUintN(64, BigInt(one) + BigInt(other)));
}

/** Numbers that a restored control plane leaves out, since telemetry is a little newer and may have rows of them. */
const SKIPPED = 1_000n;
/** There are several runs of jobs in a second. */
const SKIPPED_RUNS = 100_000_000n;

/** From where a sequence continues after a restore. */
export function skippedTo({ name, last }: { readonly name: string; readonly last: string }): string {
  return String(BigInt(last) + (name === 'job_epochs' ? SKIPPED_RUNS : SKIPPED));
}

/** The migrations of a backup, in their order. @throws Error for one that this release does not know */
export function migrationsOf<T extends { readonly id: number }>(known: readonly T[], ids: readonly number[]): T[] {
  const unknown = ids.find((id) => known.every((migration) => migration.id !== id));
  if (unknown !== undefined)
    throw new Error(`the backup has the schema migration ${unknown}, which this release does not know`);
  return known.filter(({ id }) => ids.includes(id));
}
