import { notImplemented } from './exceptions.ts';
import { type Token, tokens } from './tokens.ts';

/** `INSERT INTO target [(columns)] [SETTINGS …] FORMAT format`, followed by its rows. */
export interface InsertStatement {
  /** As written: `database.table` or `table`. */
  target: string;
  columns: ColumnList;
  /** `SETTINGS …` as written, or empty. */
  settings: string;
  format: string;
  /** Start of the rows in the text. */
  dataStart: number;
}

export type ColumnList =
  | { kind: 'all' }
  | { kind: 'only'; names: readonly string[] }
  | { kind: 'except'; names: readonly string[] };

/**
 * Parses an INSERT with formatted rows. Returns undefined for everything else, which is left to the engine: queries,
 * `INSERT … SELECT`, `INSERT … VALUES`.
 * @throws StoreException 48 for forms that only make sense with a server's own files.
 */
export function parseInsert(sql: string): InsertStatement | undefined {
  const stream = tokens(sql);
  let token = advance(stream);
  if (!isWord(token, 'INSERT')) return undefined;
  token = advance(stream);
  if (!isWord(token, 'INTO')) return undefined;
  token = advance(stream);
  if (isWord(token, 'TABLE')) token = advance(stream);
  if (isWord(token, 'FUNCTION')) {
    throw notImplemented('INSERT INTO FUNCTION is not supported by the embedded store');
  }

  const first = token;
  let end = first;
  while (token && (token.kind === 'word' || token.kind === 'quoted')) {
    end = token;
    token = advance(stream);
    if (!isSymbol(token, '.')) break;
    token = advance(stream);
  }
  if (!first || !end) return undefined;
  const target = sql.slice(first.start, end.end);

  let columns: ColumnList = { kind: 'all' };
  if (isSymbol(token, '(')) {
    columns = columnList(stream);
    token = advance(stream);
  }

  let settings = '';
  if (isWord(token, 'SETTINGS')) {
    const from = token;
    while (token && !isWord(token, 'FORMAT') && !isWord(token, 'SELECT') && !isWord(token, 'VALUES')) {
      token = advance(stream);
    }
    settings = sql.slice(from?.start, token?.start ?? sql.length).trim();
  }

  if (!isWord(token, 'FORMAT')) return undefined;
  const format = advance(stream);
  if (format?.kind !== 'word') return undefined;
  return { target, columns, settings, format: format.text, dataStart: endOfFormat(sql, format.end) };
}

/** Blanks up to the first line break after the format belong to the statement, as in ClickHouse's parser. */
function endOfFormat(sql: string, end: number): number {
  const blank = /^[ \t\r\f]*;?[ \t\r\f]*\n?/.exec(sql.slice(end))?.[0] ?? '';
  return end + blank.length;
}

function columnList(stream: Generator<Token, void, undefined>): ColumnList {
  const names: string[] = [];
  let except = false;
  let depth = 1;
  for (let token = advance(stream); token; token = advance(stream)) {
    if (isSymbol(token, '(')) depth++;
    else if (isSymbol(token, ')')) {
      depth--;
      if (depth === 0) return except ? { kind: 'except', names } : { kind: 'only', names };
    } else if (isSymbol(token, '*') && names.length === 0) except = true;
    else if (except && names.length === 0 && isWord(token, 'EXCEPT')) continue;
    else if (isSymbol(token, '.') && names.length > 0) {
      // a sub-column of Nested: `n.a` is one column
      names.push(`${names.pop()}.${advance(stream)?.text ?? ''}`);
    } else if (token.kind === 'word' || token.kind === 'quoted') names.push(token.text);
    else if (!isSymbol(token, ',')) throw notImplemented(`A column list with ${token.text} is not supported`);
  }
  throw notImplemented('The column list of the INSERT is not closed');
}

function advance(stream: Generator<Token, void, undefined>): Token | undefined {
  const { value, done } = stream.next();
  return done ? undefined : (value ?? undefined);
}

function isWord(token: Token | undefined, text: string): boolean {
  return token?.kind === 'word' && token.text.toUpperCase() === text;
}

function isSymbol(token: Token | undefined, text: string): boolean {
  return token?.kind === 'symbol' && token.text === text;
}
