import { sql } from 'kysely';
import type { Executor } from '../platform/postgres/database.ts';
import { type Reference, tablesInOrder } from './rules.ts';

/** Rows of one statement; a row may have megabytes. */
const ROWS_AT_ONCE = 100;

export interface ControlTable {
  readonly name: string;
  /** With their types. All but those that hold ids of transactions, which the target assigns itself. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** Not copied: the target has migrations of its own. */
const notCopied = ['migrations', 'fanion_move'];

/** The tables of the control plane, each after those to which it refers. */
export async function listControlTables(db: Executor): Promise<ControlTable[]> {
  const { rows } = await sql<{ name: string; column: string; type: string }>`
    SELECT c.relname AS name, a.attname AS column, format_type(a.atttypid, a.atttypmod) AS type
    FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
      AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    ORDER BY c.relname, a.attnum`.execute(db);
  const references = await sql<Reference>`
    SELECT f.relname AS "from", t.relname AS "to" FROM pg_constraint AS k
    JOIN pg_class AS f ON f.oid = k.conrelid JOIN pg_class AS t ON t.oid = k.confrelid
    WHERE k.contype = 'f' AND k.connamespace = current_schema()::regnamespace`.execute(db);
  const tables = new Map<string, { name: string; columns: { name: string; type: string }[] }>();
  for (const { name, column, type } of rows) {
    if (notCopied.includes(name)) continue;
    const table = tables.get(name) ?? { name, columns: [] };
    tables.set(name, table);
    if (type !== 'xid8') table.columns.push({ name: column, type });
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
 * All rows of a table, some at a time, inside of a transaction, after `useComparableTexts`. Each is a JSON array, and each value in it
 * travels as text: JSON itself does not distinguish a JSON null from no value.
 */
export async function* readControlRows(from: Executor, { name, columns }: ControlTable): AsyncGenerator<string[]> {
  const texts = sql.join(columns.map((column) => sql`${sql.ref(column.name)}::text`));
  await sql`DECLARE moved NO SCROLL CURSOR FOR SELECT json_build_array(${texts})::text AS row FROM ${sql.table(name)}`.execute(
    from,
  );
  for (;;) {
    const { rows } = await sql<{ row: string }>`FETCH ${sql.raw(String(ROWS_AT_ONCE))} FROM moved`.execute(from);
    if (rows.length === 0) break;
    yield rows.map(({ row }) => row);
  }
  await sql`CLOSE moved`.execute(from);
}

/** Adds rows that `readControlRows` has read, a few at a time. */
export async function insertControlRows(
  to: Executor,
  { name, columns }: ControlTable,
  rows: readonly string[],
): Promise<void> {
  const values = sql.join(columns.map(({ type }, at) => sql`(r ->> ${sql.lit(at)})::${sql.raw(type)}`));
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const json = `[${rows.slice(at, at + ROWS_AT_ONCE).join(',')}]`;
    await sql`INSERT INTO ${sql.table(name)} (${namesOf(columns)}) OVERRIDING SYSTEM VALUE
      SELECT ${values} FROM json_array_elements(${json}::json) AS r`.execute(to);
  }
}

function namesOf(columns: ControlTable['columns']) {
  return sql.join(columns.map(({ name }) => sql.ref(name)));
}

/** The numbers that a sequence has given, those of deleted rows included. */
export interface SequenceState {
  readonly name: string;
  readonly last: string;
  readonly called: boolean;
}

/** Of all sequences: those of columns, and the one that numbers the runs of jobs. */
export async function readSequences(db: Executor): Promise<SequenceState[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_class WHERE relkind = 'S' AND relnamespace = current_schema()::regnamespace
    ORDER BY relname`.execute(db);
  const states: SequenceState[] = [];
  for (const { name } of rows) {
    const found = await sql<{ last: string; called: boolean }>`
      SELECT last_value::text AS last, is_called AS called FROM ${sql.table(name)}`.execute(db);
    states.push(...found.rows.map((state) => ({ name, ...state })));
  }
  return states;
}

/** New rows continue after these numbers. */
export async function setSequences(db: Executor, states: readonly SequenceState[]): Promise<void> {
  for (const { name, last, called } of states)
    await sql`SELECT setval(quote_ident(${name})::regclass, ${last}::bigint, ${called})`.execute(db);
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

/** The migrations that a control plane has. */
export async function appliedControl(db: Executor): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`SELECT id FROM migrations ORDER BY id`.execute(db);
  return rows.map(({ id }) => id);
}
