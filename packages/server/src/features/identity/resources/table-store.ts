import { type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { ControlPlane } from '../../../platform/postgres/schema.ts';
import { placeExists, placeNames } from '../projects/index.ts';

type TablesWith<Column extends string> = {
  [Name in keyof ControlPlane]: Column extends keyof ControlPlane[Name] ? Name : never;
}[keyof ControlPlane];
type Signed = TablesWith<'created_by'>;
type Versioned = Signed & TablesWith<'updated_by'>;

/** A row with the name of the user who created it. */
export type Created<Name extends keyof ControlPlane> = Selectable<ControlPlane[Name]> & {
  readonly created_by_name: string | null;
};

/** As `Created`, with the name of the user who wrote the current version. */
export type Authored<Name extends keyof ControlPlane> = Created<Name> & { readonly updated_by_name: string | null };

/** A row with the names of its place and of its authors. */
export type Placed<Name extends keyof ControlPlane> = Authored<Name> & {
  readonly project: string;
  readonly project_number: number;
  readonly workspace_number: number;
};

type Query<Name extends keyof ControlPlane, Row> = SelectQueryBuilder<
  ControlPlane & { r: ControlPlane[Name] },
  'r',
  Row
>;

/** The rows `r` of a table. Kysely cannot type a query whose table is a type parameter: hence the casts of the three functions. */
export function created<Name extends Signed>(db: Executor, table: Name): Query<Name, Created<Name>> {
  return db
    .selectFrom(`${table} as r` as 'channels as r')
    .leftJoin('users as c', 'c.id', 'r.created_by')
    .selectAll('r')
    .select('c.name as created_by_name') as unknown as Query<Name, Created<Name>>;
}

/** The rows `r` of a table with versions. */
export function authored<Name extends Versioned>(db: Executor, table: Name): Query<Name, Authored<Name>> {
  return created(db, table as 'channels')
    .leftJoin('users as u', 'u.id', 'r.updated_by')
    .select('u.name as updated_by_name') as unknown as Query<Name, Authored<Name>>;
}

/** The rows `r` of a table whose project and environment exist. */
export function placed<Name extends 'alert_rules' | 'recording_rules' | 'slos'>(
  db: Executor,
  table: Name,
): Query<Name, Placed<Name>> {
  return authored(db, table as 'slos')
    .innerJoin('projects as p', 'p.id', 'r.project_id')
    .innerJoin('workspaces as w', 'w.id', 'r.workspace_id')
    .select(placeNames)
    .where(placeExists) as unknown as Query<Name, Placed<Name>>;
}

/** The part of a query that `ResourceTable` continues. */
interface Rows<Row> {
  where(condition: RawBuilder<boolean>): Rows<Row>;
  orderBy(by: RawBuilder<unknown>, direction: 'desc'): Rows<Row>;
  limit(limit: number): Rows<Row>;
  execute(): Promise<Row[]>;
  executeTakeFirst(): Promise<Row | undefined>;
}

interface ResourceTableOptions<Row> {
  readonly owner: 'workspace_id' | 'project_id';
  readonly json: readonly string[];
  readonly rows: (db: Executor) => Rows<Row>;
}

/**
 * The statements that are the same for every resource.
 *
 * @template Values what people write of it
 * @param owner the column with what it belongs to
 * @param json the columns that hold JSON
 * @param rows its rows, as `r`
 */
export class ResourceTable<Row, Values extends object> {
  readonly #name: keyof ControlPlane;
  readonly #options: ResourceTableOptions<Row>;
  readonly #table: RawBuilder<unknown>;

  constructor(name: keyof ControlPlane, options: ResourceTableOptions<Row>) {
    this.#name = name;
    this.#options = options;
    this.#table = sql.table(this.#name);
  }

  async find(db: Executor, ownerId: string, id: string): Promise<Row | undefined> {
    return this.#options
      .rows(db)
      .where(sql`r.${sql.ref(this.#options.owner)} = ${ownerId} AND r.id = ${id}`)
      .executeTakeFirst();
  }

  /** Newest first. */
  async list(
    db: Executor,
    ownerId: string,
    { after, limit }: { readonly after: string | undefined; readonly limit: number },
    condition: RawBuilder<boolean> = sql`TRUE`,
  ): Promise<Row[]> {
    const page = after === undefined ? sql<boolean>`TRUE` : sql<boolean>`r.id < ${after}`;
    return this.#options
      .rows(db)
      .where(sql`r.${sql.ref(this.#options.owner)} = ${ownerId} AND ${page} AND ${condition}`)
      .orderBy(sql`r.id`, 'desc')
      .limit(limit)
      .execute();
  }

  async count(db: Executor, ownerId: string): Promise<number> {
    const found = await sql<{ count: number }>`
        SELECT count(*)::int AS count FROM ${this.#table} WHERE ${sql.ref(this.#options.owner)} = ${ownerId}`.execute(
      db,
    );
    return found.rows[0]?.count ?? 0;
  }

  /** Locks the row, so that of two changes the second one sees what the first one wrote. */
  async lock(trx: Executor, ownerId: string, id: string): Promise<Row | undefined> {
    await sql`SELECT id FROM ${this.#table} WHERE ${sql.ref(this.#options.owner)} = ${ownerId} AND id = ${id} FOR UPDATE`.execute(
      trx,
    );
    return this.find(trx, ownerId, id);
  }

  async insert(trx: Executor, values: Values): Promise<void> {
    const pairs = this.#stored(values);
    const columns = sql.join(pairs.map(([column]) => column));
    await sql`INSERT INTO ${this.#table} (${columns}) VALUES (${sql.join(pairs.map(([, value]) => value))})`.execute(
      trx,
    );
  }

  /** Writes the next version. */
  async update(
    trx: Executor,
    id: string,
    values: Values,
    { by, now }: { readonly by: string | null; readonly now: Date },
  ): Promise<void> {
    const pairs = this.#stored({ ...values, updated_by: by, updated_at: now });
    const set = sql.join(pairs.map(([column, value]) => sql`${column} = ${value}`));
    await sql`UPDATE ${this.#table} SET ${set}, version = version + 1 WHERE id = ${id}`.execute(trx);
  }

  async remove(trx: Executor, id: string): Promise<void> {
    await sql`DELETE FROM ${this.#table} WHERE id = ${id}`.execute(trx);
  }

  #stored(values: object): [RawBuilder<unknown>, unknown][] {
    return Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([column, value]) => [
        sql.ref(column),
        value !== null && this.#options.json.includes(column) ? JSON.stringify(value) : value,
      ]);
  }
}
