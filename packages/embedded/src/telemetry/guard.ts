import { notImplemented, readonlyError, syntaxError } from './exceptions.ts';
import { type Token, tokens } from './tokens.ts';

/**
 * Rejects what an embedded engine would do and a ClickHouse server would not. chDB is `clickhouse local` inside: it
 * runs several statements in one text, writes `INTO OUTFILE` and reads `FROM INFILE` on this machine, and even with
 * `readonly=1` its scalar function `file('/etc/passwd')` reads any file. (Table functions such as `file(…)` and
 * `url(…)` are rejected under `readonly` by the engine itself.)
 * @throws StoreException 62, 48 or 164
 */
export function guardStatement(sql: string, readonly: boolean): void {
  // Each of the keywords contains "file", unless it is written with escapes in a quoted identifier.
  const files = /file|\\/i.test(sql);
  if (!files && !sql.includes(';')) return;
  let beforeLast: Token | undefined;
  let last: Token | undefined;
  let ended = false;
  for (const token of tokens(sql)) {
    if (ended && token.text !== ';') throw syntaxError('Multi-statements are not allowed');
    ended = token.kind === 'symbol' && token.text === ';';
    if (files) {
      if (isWord(token, 'OUTFILE') && isWord(last, 'INTO')) throw notImplemented('INTO OUTFILE is not allowed');
      if (isWord(token, 'INFILE') && isWord(last, 'FROM')) throw notImplemented('FROM INFILE is not allowed');
      if (readonly && last && isFileFunction(last) && isSymbol(token, '(')) throw fileRefused();
      if (readonly && isFileFunction(token) && isFunctionByName(beforeLast, last)) throw fileRefused();
    }
    beforeLast = last;
    last = token;
  }
}

/**
 * Functions can be named without being called: `* APPLY file`, `APPLY(file)`, and as the first argument of
 * the higher-order functions, `arrayMap(file, …)`, all of which are named array… or map….
 */
function isFunctionByName(beforeLast: Token | undefined, last: Token | undefined): boolean {
  if (isWord(last, 'APPLY')) return true;
  return isSymbol(last, '(') && beforeLast !== undefined && /^(apply|array|map)/i.test(beforeLast.text);
}

const fileRefused = () => readonlyError('default: Cannot execute query in readonly mode: it uses the function file.');

function isFileFunction(token: Token): boolean {
  return (token.kind === 'word' || token.kind === 'quoted') && token.text.toLowerCase() === 'file';
}

function isWord(token: Token | undefined, text: string): boolean {
  return token?.kind === 'word' && token.text.toUpperCase() === text;
}

function isSymbol(token: Token | undefined, text: string): boolean {
  return token?.kind === 'symbol' && token.text === text;
}
