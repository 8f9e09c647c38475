/** Spans and log lines may come late: a day is taken for over this long after its end. */
const LATE_MS = 3 * 3_600_000;
/** A part that came later yet, or a merge, has the indexes of its partition built again, this often at most. */
const AGAIN_MS = 6 * 3_600_000;
const DAY_MS = 86_400_000;

/** Which of a table's text indexes exist, by the table's name; none is built by an insert or a merge. */
export const textIndexes: Readonly<Record<string, readonly string[]>> = {
  spans: ['by_value', 'by_resource'],
  logs: ['by_value', 'by_resource', 'by_word'],
};

/** The active parts of a day and retention class of a table. */
export interface Partition {
  readonly table: string;
  /** `YYYYMMDD-days`, as the store names a partition by (day, retention). */
  readonly id: string;
  readonly parts: readonly string[];
}

/** Which parts of a partition had all indexes when they were built last. */
export interface Built extends Partition {
  /** Unix milliseconds. */
  readonly at: number;
}

/** The partitions that want their indexes built, the newest day first: it is asked for most. */
export function duePartitions(found: readonly Partition[], built: readonly Built[], now: number): Partition[] {
  const last = new Map(built.map((one) => [keyOf(one), one]));
  return found
    .filter((partition) => {
      const end = endOf(partition.id);
      if (end === undefined || now < end + LATE_MS) return false;
      const before = last.get(keyOf(partition));
      if (before === undefined) return true;
      const known = new Set(before.parts);
      return now >= before.at + AGAIN_MS && partition.parts.some((part) => !known.has(part));
    })
    .sort((a, b) => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0));
}

/**
 * The parts that surely have the indexes: those that were there when the building was ordered, under their new names (a
 * mutation appends or replaces the last number of `partition_min_max_level[_mutation]`). A part that a merge made meanwhile
 * may have come of parts without them.
 */
export function partsWithIndexes(before: readonly string[], after: readonly string[]): string[] {
  const ordered = new Set(before.map(blocksOf));
  return after.filter((part) => ordered.has(blocksOf(part)));
}

function blocksOf(part: string): string {
  return part.split('_').slice(0, 4).join('_');
}

/** Unix milliseconds of the end of a partition's day, or `undefined` for a name of another form. */
function endOf(id: string): number | undefined {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})-\d+$/.exec(id) ?? [];
  return day === undefined ? undefined : Date.UTC(Number(year), Number(month) - 1, Number(day)) + DAY_MS;
}

function keyOf({ table, id }: Partition): string {
  return `${table}/${id}`;
}
