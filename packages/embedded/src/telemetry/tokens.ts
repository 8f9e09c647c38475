/** A piece of a statement; comments and blanks are left out. `text` of a quoted identifier is unescaped. */
export interface Token {
  kind: 'word' | 'quoted' | 'string' | 'number' | 'symbol';
  text: string;
  start: number;
  end: number;
}

const WORD_START = /[A-Za-z_]/;
const NUMBER = /(?:0[xX][0-9a-fA-F_.]*|\d[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?\d+)?)[A-Za-z_0-9]*/y;
const WORD = /[A-Za-z_][A-Za-z0-9_$]*/y;
const HEREDOC = /\$[A-Za-z0-9_]*\$/y;
const BLANK = /\s+/y;

/**
 * Splits ClickHouse SQL into tokens, one by one, so that the data after an INSERT is never read. Follows
 * `src/Parsers/Lexer.cpp`: nested block comments, `--`, `//`, `# ` and `#!` comments, backslash and doubled-quote
 * escapes, heredocs, typographic quotes.
 */
export function* tokens(sql: string): Generator<Token, void, undefined> {
  let at = 0;
  while (at < sql.length) {
    const start = at;
    const char = sql.charAt(at);
    const next = sql.charAt(at + 1);

    const blank = match(BLANK, sql, at);
    if (blank) {
      at += blank.length;
    } else if ((char === '-' && next === '-') || (char === '/' && next === '/') || isHashComment(char, next)) {
      const end = sql.indexOf('\n', at);
      at = end < 0 ? sql.length : end + 1;
    } else if (char === '/' && next === '*') {
      at = endOfBlockComment(sql, at);
    } else if (char === "'" || char === '`' || char === '"') {
      const [text, end] = quoted(sql, at, char);
      at = end;
      yield { kind: char === "'" ? 'string' : 'quoted', text, start, end };
    } else if (char === '‘' || char === '“') {
      const close = sql.indexOf(char === '‘' ? '’' : '”', at + 1);
      at = close < 0 ? sql.length : close + 1;
      yield { kind: char === '‘' ? 'string' : 'quoted', text: sql.slice(start + 1, at - 1), start, end: at };
    } else if (char === '$' && match(HEREDOC, sql, at)) {
      const tag = match(HEREDOC, sql, at) ?? '';
      const close = sql.indexOf(tag, at + tag.length);
      at = close < 0 ? sql.length : close + tag.length;
      yield { kind: 'string', text: sql.slice(start + tag.length, at - tag.length), start, end: at };
    } else if (char >= '0' && char <= '9') {
      at += (match(NUMBER, sql, at) ?? char).length;
      yield { kind: 'number', text: sql.slice(start, at), start, end: at };
    } else if (WORD_START.test(char)) {
      at += (match(WORD, sql, at) ?? char).length;
      yield { kind: 'word', text: sql.slice(start, at), start, end: at };
    } else {
      at++;
      yield { kind: 'symbol', text: char, start, end: at };
    }
  }
}

function match(pattern: RegExp, sql: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(sql)?.[0];
}

function isHashComment(char: string, next: string): boolean {
  return char === '#' && (next === ' ' || next === '!');
}

function endOfBlockComment(sql: string, start: number): number {
  let depth = 0;
  for (let at = start; at < sql.length; ) {
    const two = sql.slice(at, at + 2);
    if (two === '/*') depth++;
    if (two === '*/') depth--;
    at += two === '/*' || two === '*/' ? 2 : 1;
    if (depth === 0) return at;
  }
  return sql.length;
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  0: '\0',
  a: '\x07',
  v: '\v',
  e: '\x1b',
};

/** @returns the unescaped text and where the token ends; an unclosed one runs to the end. */
function quoted(sql: string, start: number, quote: string): [text: string, end: number] {
  let text = '';
  for (let at = start + 1; at < sql.length; at++) {
    const char = sql.charAt(at);
    if (char === '\\') {
      at++;
      const escaped = sql.charAt(at);
      const hex = escaped === 'x' ? /^[0-9a-fA-F]{2}/.exec(sql.slice(at + 1, at + 3))?.[0] : undefined;
      text += hex ? String.fromCharCode(Number.parseInt(hex, 16)) : (ESCAPES[escaped] ?? escaped);
      if (hex) at += 2;
    } else if (char !== quote) {
      text += char;
    } else if (sql.charAt(at + 1) === quote) {
      text += quote;
      at++;
    } else {
      return [text, at + 1];
    }
  }
  return [text, sql.length];
}
