import type { Readable } from 'node:stream';
import type { Engine, Statement } from './engine.ts';
import { readonlyError, StoreException } from './exceptions.ts';
import type { ColumnList, InsertStatement } from './insert-statement.ts';
import type { Lane } from './lanes.ts';
import type { WriteResult } from './native.ts';
import { quoteIdentifier, quoteString } from './quoting.ts';
import type { Spool } from './spool.ts';
import type { WriteGate } from './write-gate.ts';

interface Column {
  name: string;
  type: string;
  /** `DEFAULT expression`, or empty. */
  default: string;
}

/**
 * Runs an INSERT whose rows are a stream. chDB accepts rows only as part of the statement's text, where binary formats
 * break, so the body is written to a file that the engine reads with `INSERT … SELECT … FROM file(…)`. The file has the
 * structure of the target's columns. This is the only path from HTTP to the table function `file`.
 */
export async function insertStream(
  { engine, spool, inserts, gate }: { engine: Engine; spool: Spool; inserts: Lane; gate: WriteGate },
  insert: InsertStatement,
  statement: Omit<Statement, 'sql' | 'format'> & { signal: AbortSignal },
  body: Readable,
): Promise<WriteResult> {
  const readonly = statement.settings?.get('readonly') ?? '0';
  if (readonly !== '0') throw readonlyError('default: Cannot execute query in readonly mode.');
  const columns = await targetColumns(engine, insert, statement);
  return spool.hold(body, statement.signal, (path, bytes) => {
    // An empty body is an insert of no rows, as over HTTP; the formats themselves differ here.
    if (bytes === 0) return Promise.resolve({ elapsed: 0, rowsWritten: 0, bytesWritten: 0 });
    // Enters the lane only now, so that a slow sender does not block other inserts.
    const write = () =>
      engine.write({
        ...statement,
        settings: new Map([...INSERT_DEFAULTS, ...(statement.settings ?? [])]),
        format: 'Null',
        sql: insertSelect(insert, columns, path),
      });
    return inserts.run(() => gate.run(write, statement.signal), statement.signal);
  });
}

/**
 * Defaults that the client can override. One thread keeps the order of the rows, so that the same body always gives the
 * same blocks, on which deduplication by token and block number depends. The type checks would be of the target's own
 * columns, which already exist.
 */
const INSERT_DEFAULTS: ReadonlyArray<readonly [string, string]> = [
  ['max_insert_threads', '1'],
  ['parallelize_output_from_storages', '0'],
  // The default of chDB maps the file, whose pages then count as memory of the process.
  ['storage_file_read_method', 'pread'],
  ['allow_suspicious_low_cardinality_types', '1'],
  ['allow_suspicious_fixed_string_types', '1'],
  ['allow_suspicious_variant_types', '1'],
];

function insertSelect(insert: InsertStatement, columns: readonly Column[], path: string): string {
  const names = columns.map((column) => quoteIdentifier(column.name)).join(', ');
  const structure = columns
    .map((column) => `${quoteIdentifier(column.name)} ${column.type}${column.default && ` ${column.default}`}`)
    .join(', ');
  const source = `file(${quoteString(path)}, ${quoteString(insert.format)}, ${quoteString(structure)})`;
  return `INSERT INTO ${insert.target} (${names}) ${insert.settings} SELECT ${names} FROM ${source}`;
}

async function targetColumns(
  engine: Engine,
  insert: InsertStatement,
  statement: Omit<Statement, 'sql' | 'format'>,
): Promise<Column[]> {
  const { bytes } = await engine.query({
    id: `${statement.id}-columns`,
    database: statement.database,
    signal: statement.signal,
    format: 'JSONCompactEachRow',
    sql: `DESCRIBE TABLE ${insert.target}`,
  });
  const rows = Buffer.from(bytes).toString().trim().split('\n');
  const described = rows.map((row): DescribedColumn => {
    const [name, type, kind, expression]: string[] = JSON.parse(row);
    return { name: name ?? '', type: type ?? '', kind: kind ?? '', expression: expression ?? '' };
  });
  return chooseColumns(described, insert.columns);
}

interface DescribedColumn {
  name: string;
  type: string;
  /** '', DEFAULT, MATERIALIZED, ALIAS or EPHEMERAL */
  kind: string;
  expression: string;
}

/** The columns of the rows, in order. */
function chooseColumns(described: readonly DescribedColumn[], list: ColumnList): Column[] {
  const chosen =
    list.kind === 'only'
      ? list.names.map((name) => described.find((column) => column.name === name) ?? unknownColumn(name))
      : described.filter(
          (column) =>
            (column.kind === '' || column.kind === 'DEFAULT') &&
            !(list.kind === 'except' && list.names.includes(column.name)),
        );
  const absent = described.filter((column) => !chosen.includes(column)).map((column) => column.name);
  return chosen.map((column) => ({
    name: column.name,
    type: column.type,
    // A format such as JSONEachRow may omit a column, which then gets its default. A default that depends on a column
    // that is not present cannot be computed while reading.
    default:
      column.kind === 'DEFAULT' && !absent.some((name) => column.expression.includes(name))
        ? `DEFAULT ${column.expression}`
        : '',
  }));
}

function unknownColumn(name: string): never {
  throw new StoreException(16, 'NO_SUCH_COLUMN_IN_TABLE', `No such column ${name} in the table`);
}
