/** Name of a part's directory: `partition_minBlock_maxBlock_level`, plus the version after a mutation. */
const PART = /^([^_]+)_(\d+)_(\d+)_(\d+)(?:_(\d+))?$/;

export interface Part {
  readonly partition: string;
  readonly first: number;
  readonly last: number;
  readonly level: number;
  readonly version: number;
}

export function parsePart(name: string): Part | undefined {
  const [, partition, first, last, level, version] = PART.exec(name) ?? [];
  if (partition === undefined) return undefined;
  return {
    partition,
    first: Number(first),
    last: Number(last),
    level: Number(level),
    version: Number(version ?? 0),
  };
}

/** Whether a part is another one, or was merged from it. */
export function covers(part: Part, other: Part): boolean {
  return part.partition === other.partition && part.first <= other.first && other.last <= part.last;
}

/** Whether the engine reads this part rather than the other one, from which it was merged or mutated. */
export function replaces(part: Part, other: Part): boolean {
  return covers(part, other) && part !== other && part.level >= other.level && part.version >= other.version;
}
