/**
 * Pieces of a query outside of the grammar's reach: `@grafana/lezer-traceql` knows no comparisons and no arithmetic of
 * metrics, so these are read here, and only the queries between them by the grammar.
 */
export interface Token {
  readonly kind: 'word' | 'number' | 'text' | 'filter' | 'sign';
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

const skipped = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const quoted = /"(?:[^"\\]|\\.)*"|`[^`]*`/y;
const pieces: readonly (readonly [Token['kind'], RegExp])[] = [
  ['text', quoted],
  ['number', /(?:\d+(?:\.\d*)?|\.\d+)[\w.µ]*/y],
  // Names of attributes may have any character that is not here.
  ['word', /[\p{L}_.][^\s{}()=~!<>&|^,"`]*/uy],
  ['sign', />>|<<|>=|<=|!=|=~|!~|&&|\|\||[\s\S]/y],
];

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = endOf(skipped, text, 0) ?? 0; at < text.length; ) {
    const [kind, to] = text[at] === '{' ? (['filter', endOfFilter(text, at)] as const) : pieceAt(text, at);
    tokens.push({ kind, text: text.slice(at, to), from: at, to });
    at = endOf(skipped, text, to) ?? to;
  }
  return tokens;
}

function pieceAt(text: string, at: number): readonly [Token['kind'], number] {
  for (const [kind, pattern] of pieces) {
    const to = endOf(pattern, text, at);
    if (to !== undefined) return [kind, to];
  }
  return ['sign', at + 1];
}

/** `{ … }` is one token; without its end, the rest of the text is. */
function endOfFilter(text: string, start: number): number {
  for (let at = start + 1; at < text.length; ) {
    if (text[at] === '}') return at + 1;
    at = endOf(skipped, text, at) ?? endOf(quoted, text, at) ?? at + 1;
  }
  return text.length;
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** The index of the token that closes the bracket at an index; the number of tokens if none does. */
export function closing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    if (isSign(tokens[at], '(')) depth++;
    if (isSign(tokens[at], ')') && --depth === 0) return at;
  }
  return tokens.length;
}

export function isSign(token: Token | undefined, text: string): boolean {
  return token?.kind === 'sign' && token.text === text;
}

/** The first place outside of brackets where one of these words stands before a bracket. */
export function callAt(tokens: readonly Token[], names: ReadonlySet<string>): number | undefined {
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (isSign(token, '(')) at = closing(tokens, at);
    else if (token?.kind === 'word' && names.has(token.text) && isSign(tokens[at + 1], '(')) return at;
  }
  return undefined;
}
