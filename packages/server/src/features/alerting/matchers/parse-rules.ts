import type { Matcher, MatcherOperator } from './rules.ts';

/**
 * Reads matchers in the text form of Alertmanager 0.27 and newer: `{severity="critical", team!~"a|b"}`, with or without
 * the braces. Names and values are quoted as in Go, or have none of white space and `{ } ! = ~ , \ " ' `` ` ``.
 */
export function parseMatchers(text: string): readonly Matcher[] | { readonly problem: string } {
  const tokens = tokensOf(text);
  if ('problem' in tokens) return tokens;
  let at = 0;
  const kindAt = () => tokens[at]?.kind;
  const unexpected = (expected: string) => {
    const found = tokens[at];
    return { problem: `${found === undefined ? 'the text ends' : `unexpected ${found.source}`}: expected ${expected}` };
  };
  const isOpen = kindAt() === '{';
  if (isOpen) at++;
  const matchers: Matcher[] = [];
  while (at < tokens.length && kindAt() !== '}') {
    const name = tokens[at];
    if (name === undefined || name.kind !== 'text') return unexpected('a label name');
    at++;
    const operator = tokens[at];
    if (operator === undefined || operator.kind !== 'operator') return unexpected('one of = != =~ !~');
    at++;
    const value = tokens[at];
    if (value === undefined || value.kind !== 'text') return unexpected('a label value');
    at++;
    matchers.push({ name: name.text, op: operator.text as MatcherOperator, value: value.text });
    if (kindAt() === ',') at++;
    else if (at < tokens.length && kindAt() !== '}') return unexpected('a comma or the end');
  }
  if (isOpen && kindAt() !== '}') return unexpected('}');
  if (!isOpen && kindAt() === '}') return { problem: 'unexpected }: there is no opening brace' };
  if (isOpen) at++;
  return at < tokens.length ? unexpected('the end') : matchers;
}

/** The text form of matchers. A name or a value is quoted where it has to be. */
export function printMatchers(matchers: readonly Matcher[]): string {
  const quoted = (text: string) => JSON.stringify(text);
  const parts = matchers.map(
    ({ name, op, value }) => `${name !== '' && ![...name].some(isReserved) ? name : quoted(name)}${op}${quoted(value)}`,
  );
  return `{${parts.join(',')}}`;
}

interface Token {
  readonly kind: '{' | '}' | ',' | 'operator' | 'text';
  /** As it stands in the text. */
  readonly source: string;
  /** What it means. */
  readonly text: string;
}

function tokensOf(input: string): readonly Token[] | { readonly problem: string } {
  const tokens: Token[] = [];
  const characters = [...input];
  let at = 0;
  while (at < characters.length) {
    const character = characters[at] ?? '';
    if (isSpace(character)) {
      at++;
    } else if (character === '{' || character === '}' || character === ',') {
      tokens.push({ kind: character, source: character, text: character });
      at++;
    } else if (character === '=' || character === '!') {
      const next = characters[at + 1];
      const isPair = next === '~' || (character === '!' && next === '=');
      if (character === '!' && !isPair) return { problem: 'unexpected !: expected != or !~' };
      const operator = isPair ? character + next : character;
      tokens.push({ kind: 'operator', source: operator, text: operator });
      at += operator.length;
    } else if (character === '"') {
      const from = at;
      at++;
      while (at < characters.length && characters[at] !== '"') at += characters[at] === '\\' ? 2 : 1;
      if (at >= characters.length)
        return { problem: `${characters.slice(from).join('')}: the closing quote is missing` };
      at++;
      const source = characters.slice(from, at).join('');
      const text = unquoted(characters.slice(from + 1, at - 1));
      if (text === undefined) return { problem: `${source}: invalid escape sequence` };
      tokens.push({ kind: 'text', source, text });
    } else if (isReserved(character)) {
      return { problem: `unexpected ${character}: put the value in double quotes` };
    } else {
      const from = at;
      while (at < characters.length && !isReserved(characters[at] ?? '')) at++;
      const text = characters.slice(from, at).join('');
      tokens.push({ kind: 'text', source: text, text });
    }
  }
  return tokens;
}

function isSpace(character: string): boolean {
  return /^[\p{White_Space}]$/u.test(character);
}

function isReserved(character: string): boolean {
  return isSpace(character) || '{}!=~,\\"\'`'.includes(character);
}

const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
};
/** Digits that follow the letter of an escape. */
const hexEscapes: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Go's escapes of a quoted string, whose bytes must be UTF-8; undefined: invalid. */
function unquoted(characters: readonly string[]): string | undefined {
  const bytes: Buffer[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    if (character === '\n') return undefined;
    if (character !== '\\') {
      bytes.push(Buffer.from(character));
      continue;
    }
    at++;
    const letter = characters[at] ?? '';
    const simple = simpleEscapes[letter];
    const digits = hexEscapes[letter];
    if (simple !== undefined) {
      bytes.push(Buffer.from(simple));
    } else if (digits !== undefined) {
      const code = numberOf(characters.slice(at + 1, at + 1 + digits), digits, 16);
      if (code === undefined) return undefined;
      if (letter !== 'x' && (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))) return undefined;
      bytes.push(letter === 'x' ? Buffer.from([code]) : Buffer.from(String.fromCodePoint(code)));
      at += digits;
    } else {
      const code = numberOf(characters.slice(at, at + 3), 3, 8);
      if (code === undefined || code > 0xff) return undefined;
      bytes.push(Buffer.from([code]));
      at += 2;
    }
  }
  const whole = Buffer.concat(bytes);
  const text = whole.toString('utf8');
  return Buffer.from(text).equals(whole) ? text : undefined;
}

function numberOf(digits: readonly string[], count: number, base: 8 | 16): number | undefined {
  const text = digits.join('');
  const isValid = (base === 16 ? /^[0-9a-fA-F]+$/ : /^[0-7]+$/).test(text);
  return text.length === count && isValid ? Number.parseInt(text, base) : undefined;
}
