interface Signed {
  readonly created_by: string | null;
  readonly created_by_name: string | null;
  readonly created_at: Date;
}

/** Null: the account is gone. */
function reference(id: string | null, name: string | null) {
  return id === null ? null : { id, name: name ?? '' };
}

/** Who created a resource, and when. */
export function presentCreation({ created_by, created_by_name, created_at }: Signed) {
  return { created_by: reference(created_by, created_by_name), created_at: created_at.toISOString() };
}

/** The version of a resource, and who wrote it. */
export function presentVersion(
  row: Signed & {
    readonly version: number;
    readonly updated_by: string | null;
    readonly updated_by_name: string | null;
    readonly updated_at: Date;
  },
) {
  return {
    version: row.version,
    ...presentCreation(row),
    updated_by: reference(row.updated_by, row.updated_by_name),
    updated_at: row.updated_at.toISOString(),
  };
}
