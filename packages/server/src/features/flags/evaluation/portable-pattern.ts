/**
 * Writes an RE2 pattern so that it finds the same texts in the regular expressions of JavaScript, Python, Go and other languages; undefined where that is
 * not possible. Where {@link PortablePattern.endsText} is true, texts whose last character is a line feed must be excluded: in some languages, `$`
 * also matches before it.
 */
export function portablePattern(source: string, ignoresCase: boolean): PortablePattern | undefined {
  try {
    return new Writer(source, ignoresCase).all();
  } catch (error) {
    if (error instanceof NotPortable) return undefined;
    throw error;
  }
}

export interface PortablePattern {
  readonly pattern: string;
  /** The pattern matches no text that ends with a line feed. */
  readonly endsText: boolean;
}

/** A part of a pattern, with how often it may be repeated. */
interface Part {
  readonly text: string;
  /** It may match any character, also one above U+FFFF, which is two in some languages. */
  readonly isChar?: boolean;
  /** Something in it is such a part. */
  readonly hasChar?: boolean;
  readonly isAnchor?: boolean;
  readonly isEnd?: boolean;
  /** It may match a line feed. */
  readonly isLineFeed?: boolean;
  /** It may match nothing. */
  readonly isOptional?: boolean;
}

class NotPortable extends Error {}

const classes: Readonly<Record<string, string>> = { d: '0-9', w: '0-9A-Za-z_', s: '\\t\\n\\f\\r ' };
const controls: Readonly<Record<string, string>> = { t: '\t', n: '\n', f: '\f', r: '\r' };
const special = /[\\^$.*+?()[\]{}|]/;

class Writer {
  readonly #source: string;
  readonly #ignoresCase: boolean;
  #at = 0;

  constructor(source: string, ignoresCase: boolean) {
    this.#source = source;
    this.#ignoresCase = ignoresCase;
  }

  all(): PortablePattern {
    const sequences = this.#alternatives();
    if (this.#at < this.#source.length) throw new NotPortable();
    const pattern = textOf(sequences);
    if (!sequences.some((parts) => parts.some(({ isEnd }) => isEnd))) return { pattern, endsText: false };
    const ends = new Set(sequences.map(endOf));
    if (ends.size > 1) throw new NotPortable();
    return { pattern, endsText: ends.has('text') };
  }

  #alternatives(): Part[][] {
    let sequence: Part[] = [];
    const sequences = [sequence];
    while (this.#at < this.#source.length && this.#peek() !== ')') {
      if (this.#accept('|')) {
        sequence = [];
        sequences.push(sequence);
      } else sequence.push(this.#repeated());
    }
    sequences.forEach(checkChars);
    return sequences;
  }

  #repeated(): Part {
    const part = this.#part();
    const count = /^(?:[*+?]|\{\d{1,4}(?:,\d{0,4})?\})/.exec(this.#source.slice(this.#at))?.[0] ?? '';
    this.#at += count.length;
    const lazy = count !== '' && this.#accept('?') ? '?' : '';
    if (/^[*+?{]/.test(this.#peek()) || (count !== '' && part.isAnchor === true)) throw new NotPortable();
    const { isChar = false, hasChar = isChar } = part;
    if (isChar && count !== '*' && count !== '+') throw new NotPortable();
    if (hasChar && !isChar && count !== '' && count !== '?') throw new NotPortable();
    const isOptional = part.isOptional === true || /^(?:[*?]|\{0)/.test(count);
    return { ...part, text: part.text + count + lazy, isOptional, hasChar };
  }

  #part(): Part {
    const char = this.#next();
    switch (char) {
      case '(':
        return this.#group();
      case '[':
        return this.#class();
      case '.':
        return { text: '[^\\n]', isChar: true };
      case '^':
        return { text: '^', isAnchor: true };
      case '$':
        return { text: '$', isAnchor: true, isEnd: true };
      case '\\':
        return this.#escape();
      case '*':
      case '+':
      case '?':
        throw new NotPortable();
      default:
        return this.#literal(char);
    }
  }

  #group(): Part {
    if (this.#accept('?') && !this.#accept(':')) throw new NotPortable();
    const sequences = this.#alternatives();
    const parts = sequences.flat();
    if (!this.#accept(')') || parts.some(({ isEnd }) => isEnd)) throw new NotPortable();
    return {
      text: `(?:${textOf(sequences)})`,
      isLineFeed: parts.some(({ isLineFeed }) => isLineFeed),
      hasChar: parts.some(({ hasChar }) => hasChar),
      isOptional: sequences.some((sequence) => sequence.every(({ isOptional, isAnchor }) => isOptional || isAnchor)),
    };
  }

  #escape(): Part {
    const char = this.#next();
    const known = classes[char.toLowerCase()];
    if (known === undefined) return this.#escapedChar(char);
    const isChar = char !== char.toLowerCase();
    const isLineFeed = isChar !== (char.toLowerCase() === 's');
    return { text: `[${isChar ? '^' : ''}${this.#cased(known)}]`, isChar, isLineFeed };
  }

  #escapedChar(char: string): Part {
    const control = controls[char];
    if (control !== undefined) return { text: escaped(control), isLineFeed: char === 'n' };
    // All other letters and digits have a meaning, which differs.
    if (/[0-9A-Za-z]/.test(char)) throw new NotPortable();
    return this.#literal(char);
  }

  #class(): Part {
    const isChar = this.#accept('^');
    let inner = '';
    for (let isFirst = true; isFirst || this.#peek() !== ']'; isFirst = false) {
      const char = this.#next();
      if (char === '[' || (isFirst && char === ']')) throw new NotPortable();
      const known = char === '\\' ? classes[this.#peek()] : undefined;
      if (known === undefined) inner += this.#range(char);
      else {
        this.#at++;
        inner += this.#cased(known);
      }
    }
    this.#at++;
    return { text: `[${isChar ? '^' : ''}${inner}]`, isChar, isLineFeed: isChar !== inner.includes('\\n') };
  }

  /** A character of a class, or the first one of a range. */
  #range(first: string): string {
    const from = this.#ofClass(first);
    if (this.#peek() !== '-' || this.#source[this.#at + 1] === ']') return this.#cased(escaped(from));
    this.#at++;
    const to = this.#ofClass(this.#next());
    if (from > to || from.length > 1 || to.length > 1) throw new NotPortable();
    const range = `${escaped(from)}-${escaped(to)}`;
    const isOfLetters = /^(?:[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9])$/.test(range);
    if (this.#ignoresCase && !isOfLetters) throw new NotPortable();
    return this.#cased(range);
  }

  /** The character that an element of a class is. */
  #ofClass(char: string): string {
    if (char !== '\\') return this.#known(char);
    const next = this.#next();
    const control = controls[next];
    if (control === undefined && /[0-9A-Za-z]/.test(next)) throw new NotPortable();
    return control ?? this.#known(next);
  }

  /** What a class contains, with the other case of its letters. RE2 folds two signs beyond ASCII to k and s. */
  #cased(inner: string): string {
    if (!this.#ignoresCase) return inner;
    const other = inner.replace(/[a-z]/gi, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );
    const both = other === inner || /^\\/.test(inner) ? inner : inner + other;
    return both + (covers(both, 'k') ? '\u212a' : '') + (covers(both, 's') ? '\u017f' : '');
  }

  #literal(char: string): Part {
    const known = this.#known(char);
    if (this.#ignoresCase && /[a-z]/i.test(known)) return { text: `[${this.#cased(known)}]` };
    return { text: special.test(known) ? `\\${known}` : known, isLineFeed: known === '\n' };
  }

  /** @throws NotPortable for characters above U+FFFF, and beyond ASCII where case is ignored */
  #known(char: string): string {
    if (char === '' || /[\ud800-\udfff]/.test(char) || (this.#ignoresCase && char > '\x7f')) throw new NotPortable();
    return char;
  }

  #peek(): string {
    return this.#source[this.#at] ?? '';
  }

  #next(): string {
    return this.#source[this.#at++] ?? '';
  }

  #accept(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.#at++;
    return true;
  }
}

/** Whether characters and ranges of a class include a letter. */
function covers(inner: string, letter: string): boolean {
  for (let i = 0; i < inner.length; i++) {
    const [from = '', dash, to] = inner.slice(i, i + 3);
    if (dash !== '-' || to === undefined) {
      if (from === letter) return true;
    } else {
      if (from <= letter && letter <= to) return true;
      i += 2;
    }
  }
  return false;
}

/** Two parts in succession that each match any characters would count these. @throws NotPortable */
function checkChars(parts: readonly Part[]): void {
  let follows = false;
  for (const { hasChar, isOptional, isAnchor } of parts) {
    if (hasChar === true && follows) throw new NotPortable();
    if (hasChar === true) follows = true;
    else if (isOptional !== true && isAnchor !== true) follows = false;
  }
}

function textOf(sequences: readonly (readonly Part[])[]): string {
  return sequences.map((parts) => parts.map(({ text }) => text).join('')).join('|');
}

/**
 * What is at the end of an alternative: the end of the text, before which no line feed can be, or one before which there can always be one more.
 * @throws NotPortable
 */
function endOf(parts: readonly Part[]): 'text' | 'line feeds' {
  const last = parts.at(-1);
  if (last?.isEnd !== true || parts.filter(({ isEnd }) => isEnd).length > 1) throw new NotPortable();
  const before = parts.slice(0, -1).filter(({ isAnchor }) => isAnchor !== true);
  const required = before.findLastIndex(({ isOptional }) => isOptional !== true);
  if (required === -1) throw new NotPortable();
  const final = before.slice(required);
  if (final.every(({ isLineFeed }) => isLineFeed !== true)) return 'text';
  const { isChar, isLineFeed } = final.at(-1) ?? {};
  // Repeated, as all parts for any character are.
  if (isChar === true && isLineFeed === true) return 'line feeds';
  throw new NotPortable();
}

/** A character in a class, or a control character anywhere. */
function escaped(char: string): string {
  const letter = Object.keys(controls).find((one) => controls[one] === char);
  if (letter !== undefined) return `\\${letter}`;
  return /[\\^\][-]/.test(char) ? `\\${char}` : char;
}
