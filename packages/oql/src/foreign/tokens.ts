export interface ForeignToken {
  readonly kind: 'word' | 'string' | 'number' | 'symbol';
  readonly text: string;
}

const TOKEN =
  /\s+|(--|\/\/|#)[^\n]*|([A-Za-z_@][\w.:@-]*)|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.|'')*)'|`([^`\n]*)`|(\d[\w.]*)|(=~|!~|!=|<>|<=|>=|==|\|=|\|~|\.\.|[\s\S])/gy;

/** The tokens of a query in another language: words, texts without quotes, numbers with units, symbols. */
export function tokensOf(text: string): readonly ForeignToken[] {
  const tokens: ForeignToken[] = [];
  for (const [, , word, double, single, ticked, number, symbol] of text.matchAll(TOKEN)) {
    const string = double ?? single?.replaceAll("''", "'") ?? ticked;
    if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else if (string !== undefined) tokens.push({ kind: 'string', text: string });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (symbol !== undefined) tokens.push({ kind: 'symbol', text: symbol });
  }
  return tokens;
}

/** Reads tokens in order. An unexpected token ends the translation with `undefined`; nothing throws. */
export class Reader {
  #at = 0;
  readonly #tokens: readonly ForeignToken[];

  constructor(tokens: readonly ForeignToken[]) {
    this.#tokens = tokens;
  }

  get done(): boolean {
    return this.#at >= this.#tokens.length;
  }

  peek(ahead = 0): ForeignToken | undefined {
    return this.#tokens[this.#at + ahead];
  }

  next(): ForeignToken | undefined {
    return this.#tokens[this.#at++];
  }

  /** Consumes the next tokens if they are these words, in any case. Returns whether they were. */
  takes(...words: readonly string[]): boolean {
    const fits = words.every((word, i) => {
      const token = this.peek(i);
      return token !== undefined && token.kind !== 'string' && token.text.toLowerCase() === word;
    });
    if (fits) this.#at += words.length;
    return fits;
  }

  word(): string | undefined {
    return this.peek()?.kind === 'word' ? this.next()?.text : undefined;
  }

  /** The tokens inside the next bracket; undefined if the next token is not a bracket. */
  bracketed(open = '(', close = ')'): readonly ForeignToken[] | undefined {
    if (!this.takes(open)) return undefined;
    const from = this.#at;
    for (let depth = 1; !this.done; ) {
      const token = this.next();
      if (token?.kind !== 'symbol') continue;
      if (token.text === open) depth++;
      if (token.text === close && --depth === 0) return this.#tokens.slice(from, this.#at - 1);
    }
    return undefined;
  }

  rest(): readonly ForeignToken[] {
    const rest = this.#tokens.slice(this.#at);
    this.#at = this.#tokens.length;
    return rest;
  }
}

/** Splits tokens at separators outside brackets. */
export function split(tokens: readonly ForeignToken[], separator: string): readonly (readonly ForeignToken[])[] {
  const parts: ForeignToken[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token.kind === 'symbol' && '([{'.includes(token.text)) depth++;
    if (token.kind === 'symbol' && ')]}'.includes(token.text)) depth--;
    if (depth === 0 && token.kind === 'symbol' && token.text === separator) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}
