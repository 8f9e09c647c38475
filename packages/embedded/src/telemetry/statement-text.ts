import { type Token, tokens } from './tokens.ts';

/** What a statement's text says without being parsed. */
export interface StatementText {
  readonly sql: string;
  /** The format that the statement's own FORMAT clause names, if it has one. */
  readonly format: string | undefined;
  /** Whether that clause is the last of the statement. */
  readonly endsWithFormat: boolean;
  /** Index behind the last token: what follows are blanks and comments. */
  readonly end: number;
  /** Whether a text that is appended is a part of the statement, and not of an unclosed comment or string. */
  readonly isClosed: boolean;
  /** Names in `{name:Type}`; undefined where one is quoted. */
  readonly parameters: readonly string[] | undefined;
}

const SENTINEL = 'fanion_end';

/** Reads the text once, token by token. */
export function readStatementText(sql: string): StatementText {
  const text = `${sql}\n${SENTINEL}`;
  const names: string[] = [];
  let hasQuotedName = false;
  let format: string | undefined;
  let formatEnd = -1;
  let beforeLast: Token | undefined;
  let last: Token | undefined;
  let isClosed = false;
  for (const token of tokens(text)) {
    if (token.start === sql.length + 1) {
      isClosed = token.kind === 'word' && token.text === SENTINEL;
      break;
    }
    if (beforeLast?.kind === 'symbol' && beforeLast.text === '{' && last !== undefined && token.text === ':') {
      if (last.kind === 'word') names.push(last.text);
      else hasQuotedName ||= last.kind === 'quoted';
    }
    if (last?.kind === 'word' && token.kind === 'word' && last.text.toUpperCase() === 'FORMAT') {
      format = token.text;
      formatEnd = token.end;
    }
    beforeLast = last;
    last = token;
  }
  const end = last?.end ?? 0;
  return {
    sql,
    format,
    endsWithFormat: formatEnd === end,
    end,
    isClosed,
    parameters: hasQuotedName ? undefined : names,
  };
}
