/** The beginning of the fixture's hour, on a full hour so that buckets begin with it. */
export const START = 1_795_100_000_000_000_000n - (1_795_100_000_000_000_000n % 3_600_000_000_000n);

export interface Tenant {
  readonly workspace: number;
  readonly project: number;
  readonly environment: string;
}

export const TENANT: Tenant = { workspace: 7, project: 1, environment: 'production' };
/** Tenants whose data must never be visible. */
export const NEIGHBOURS: readonly Tenant[] = [
  { workspace: 8, project: 3, environment: 'production' },
  { workspace: 7, project: 2, environment: 'production' },
];

export const TENANT_STRUCTURE = 'workspace UInt32, project UInt32, environment String';

export interface FixtureTable {
  /** `{data}` in it is replaced by the rows, one JSON object per line. */
  readonly insert: string;
  readonly rows: readonly object[];
}

/** Rows for JSON: 64-bit integers are strings. */
export function rows<T extends object>(list: readonly T[]): readonly object[] {
  return list.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [key, typeof value === 'bigint' ? String(value) : value]),
    ),
  );
}
