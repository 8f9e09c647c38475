export interface Dependency {
  /** The flag that is required. */
  from: string;
  /** The flag that requires it. */
  to: string;
  variants: readonly string[];
}

/** A flag's place: its column counted from the left, its row from the top. */
export interface Place {
  key: string;
  column: number;
  row: number;
}

/**
 * Columns for a flag, its dependencies and its dependents: each flag is to the right of all flags that it requires.
 * Rows are in key order. Flags in a cycle (which the server rejects) stay in the column where they are first found.
 */
export function layerFlags(flag: string, dependencies: readonly Dependency[]): Place[] {
  const keys = [...new Set([flag, ...dependencies.flatMap(({ from, to }) => [from, to])])].sort();
  const columns = new Map<string, number>();
  const columnOf = (key: string, above: ReadonlySet<string>): number => {
    const known = columns.get(key);
    if (known !== undefined) return known;
    const path = new Set([...above, key]);
    const required = dependencies.filter(({ from, to }) => to === key && !path.has(from));
    const column = Math.max(-1, ...required.map(({ from }) => columnOf(from, path))) + 1;
    columns.set(key, column);
    return column;
  };
  const rows = new Map<number, number>();
  return keys.map((key) => {
    const column = columnOf(key, new Set());
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    return { key, column, row };
  });
}
