import { sql } from 'kysely';
import type { Executor } from '../platform/postgres/database.ts';
import { type Reference, tablesInOrder } from './rules.ts';

/** Rows of one statement; a row may have megabytes. */
const ROWS_AT_ONCE = 100;

export interface ControlTable {
  readonly name: string;
  /** With their types. All but those that hold ids of transactions, which the target assigns itself. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Columns whose values come from a sequence. */
  readonly numbered: readonly string[];
}

/** Not copied: the target has migrations of its own. */
const notCopied = ['migrations', 'fanion_move'];

/** The tables of the control plane, each after those to which it refers. */
export async function listControlTables(db: Executor): Promise<ControlTable[]> {
  const { rows } = await sql<{ name: string; column: string; type: string; numbered: boolean }>`
    SELECT c.relname AS name, a.attname AS column, format_type(a.atttypid, a.atttypmod) AS type, a.attidentity <> '' AS numbered
    FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
      AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    ORDER BY c.relname, a.attnum`.execute(db);
  const references = await sql<Reference>`
    SELECT f.relname AS "from", t.relname AS "to" FROM pg_constraint AS k
    JOIN pg_class AS f ON f.oid = k.conrelid JOIN pg_class AS t ON t.oid = k.confrelid
    WHERE k.contype = 'f' AND k.connamespace = current_schema()::regnamespace`.execute(db);
  const tables = new Map<string, { name: string; columns: { name: string; type: string }[]; numbered: string[] }>();
  for (const { name, column, type, numbered } of rows) {
    if (notCopied.includes(name)) continue;
    const table = tables.get(name) ?? { name, columns: [], numbered: [] };
    tables.set(name, table);
    if (type !== 'xid8') table.columns.push({ name: column, type });
    if (numbered) table.numbered.push(column);
  }
  return tablesInOrder([...tables.keys()], references.rows).flatMap((name) => tables.get(name) ?? []);
}

/** Values as text are the same on all servers. */
export async function useComparableTexts(trx: Executor): Promise<void> {
  for (const [name, value] of [
    ['timezone', 'UTC'],
    ['datestyle', 'ISO'],
    ['intervalstyle', 'postgres'],
    ['extra_float_digits', '1'],
    ['bytea_output', 'hex'],
  ])
    await sql`SELECT set_config(${name}, ${value}, true)`.execute(trx);
}

/**
 * Copies all rows of a table, inside of a transaction on both sides, after `useComparableTexts`. Each value travels as text: JSON itself does
 * not distinguish a JSON null from no value.
 */
export async function copyControlTable(from: Executor, to: Executor, { name, columns }: ControlTable): Promise<void> {
  const table = sql.table(name);
  const texts = sql.join(columns.map((column) => sql`${sql.ref(column.name)}::text`));
  const values = sql.join(columns.map(({ type }, at) => sql`(r ->> ${sql.lit(at)})::${sql.raw(type)}`));
  await sql`DECLARE moved NO SCROLL CURSOR FOR SELECT json_build_array(${texts})::text AS row FROM ${table}`.execute(
    from,
  );
  for (;;) {
    const { rows } = await sql<{ row: string }>`FETCH ${sql.raw(String(ROWS_AT_ONCE))} FROM moved`.execute(from);
    if (rows.length === 0) break;
    const json = `[${rows.map(({ row }) => row).join(',')}]`;
    await sql`INSERT INTO ${table} (${namesOf(columns)}) OVERRIDING SYSTEM VALUE
      SELECT ${values} FROM json_array_elements(${json}::json) AS r`.execute(to);
  }
  await sql`CLOSE moved`.execute(from);
}

function namesOf(columns: ControlTable['columns']) {
  return sql.join(columns.map(({ name }) => sql.ref(name)));
}

/** New rows continue after the numbers that the source has given, those of deleted rows included. */
export async function copySequences(from: Executor, to: Executor, { name, numbered }: ControlTable): Promise<void> {
  for (const column of numbered) {
    const sequence = await sequenceOf(from, name, column);
    const { rows } = await sql<{ last: string; called: boolean }>`
      SELECT last_value::text AS last, is_called AS called FROM ${sql.raw(sequence)}`.execute(from);
    const [state] = rows;
    if (state === undefined) throw new Error(`the sequence ${sequence} has no state`);
    const target = await sequenceOf(to, name, column);
    await sql`SELECT setval(${target}::regclass, ${state.last}::bigint, ${state.called})`.execute(to);
  }
}

async function sequenceOf(db: Executor, table: string, column: string): Promise<string> {
  const { rows } = await sql<{ name: string | null }>`
    SELECT pg_get_serial_sequence(quote_ident(${table}), ${column}) AS name`.execute(db);
  const name = rows[0]?.name;
  if (name === undefined || name === null) throw new Error(`${table}.${column} has no sequence`);
  return name;
}

/** The number of rows and a sum over them that does not depend on their order. */
export async function controlFingerprint(
  db: Executor,
  { name, columns }: ControlTable,
): Promise<{ readonly rows: string; readonly hash: string }> {
  const { rows } = await sql<{ rows: string; hash: string }>`
    SELECT count(*)::text AS rows,
      coalesce(sum(('x' || substr(md5(ROW(${namesOf(columns)})::text), 1, 15))::bit(60)::bigint), 0)::text AS hash
    FROM ${sql.table(name)}`.execute(db);
  return { rows: rows[0]?.rows ?? '0', hash: rows[0]?.hash ?? '0' };
}

export async function emptyControlTables(db: Executor, tables: readonly ControlTable[]): Promise<void> {
  await sql`TRUNCATE ${sql.join(tables.map(({ name }) => sql.table(name)))}`.execute(db);
}

/** The workspaces that people can open. */
export async function listWorkspaceIds(db: Executor): Promise<string[]> {
  const rows = await db.selectFrom('workspaces').select('id').where('deleted_at', 'is', null).orderBy('id').execute();
  return rows.map(({ id }) => id);
}

export interface ControlContent {
  /** Tables with rows. */
  readonly filled: readonly string[];
  /** The newest migration; 0: none. */
  readonly migration: number;
}

export async function readControlContent(db: Executor): Promise<ControlContent> {
  const { rows } = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
    ORDER BY relname`.execute(db);
  const filled: string[] = [];
  for (const { name } of rows) {
    if (notCopied.includes(name)) continue;
    const found = await sql`SELECT 1 FROM ${sql.table(name)} LIMIT 1`.execute(db);
    if (found.rows.length > 0) filled.push(name);
  }
  const isMigrated = rows.some(({ name }) => name === 'migrations');
  const newest = isMigrated
    ? await sql<{ id: number | null }>`SELECT max(id) AS id FROM migrations`.execute(db)
    : { rows: [] };
  return { filled, migration: newest.rows[0]?.id ?? 0 };
}
