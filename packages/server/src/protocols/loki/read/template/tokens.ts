import { LogqlError } from '../logql/error.ts';

export interface Token {
  readonly kind: 'text' | 'open' | 'close' | 'string' | 'number' | 'word' | 'field' | 'variable' | 'assign' | 'sign';
  readonly text: string;
  /** Of numbers. */
  readonly value?: bigint | number;
  /** Of fields: without a space before. */
  readonly isAttached?: boolean;
}

const invalid = (what: string) => new LogqlError(`invalid template: ${what}`);

const part =
  /\s+|"((?:[^"\\\n]|\\.)*)"|`([^`]*)`|([+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)|(\$\w*)|\.([A-Za-z_]\w*)?|([A-Za-z_]\w*)|(:=|=)|([()|,])/y;

/** The text and actions of a template. @throws LogqlError */
export function tokensOf(template: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    const open = template.indexOf('{{', at);
    const isTrimmed = open >= 0 && /^-\s/.test(template.slice(open + 2, open + 4));
    const text = open < 0 ? template.slice(at) : template.slice(at, open);
    const before = isTrimmed ? text.trimEnd() : text;
    if (before !== '') tokens.push({ kind: 'text', text: before });
    if (open < 0) return tokens;
    at = actionOf(template, open + (isTrimmed ? 3 : 2), tokens);
    const end = template.slice(at - 4, at);
    if (/^\s-\}\}$/.test(end)) at += template.slice(at).length - template.slice(at).trimStart().length;
  }
}

/** Adds the tokens of an action, and returns where it ends. */
function actionOf(template: string, from: number, tokens: Token[]): number {
  const comment = /^\s*\/\*/.exec(template.slice(from, from + 100));
  if (comment) {
    const end = template.indexOf('*/', from);
    const close = end < 0 ? -1 : template.indexOf('}}', end);
    if (close < 0) throw invalid('unclosed comment');
    return close + 2;
  }
  tokens.push({ kind: 'open', text: '{{' });
  let at = from;
  while (at < template.length) {
    const close = template.startsWith('}}', at) ? 2 : /^-\}\}/.test(template.slice(at, at + 3)) ? 3 : 0;
    if (close > 0) {
      tokens.push({ kind: 'close', text: '}}' });
      return at + close;
    }
    part.lastIndex = at;
    const match = part.exec(template);
    if (match === null) throw invalid(`unexpected ${JSON.stringify(template.slice(at, at + 20))}`);
    const token = tokenOf(match, at === from || /\s/.test(template[at - 1] ?? ' '));
    if (token !== undefined) tokens.push(token);
    at = part.lastIndex;
  }
  throw invalid('unclosed action');
}

function tokenOf(match: RegExpExecArray, isAfterSpace: boolean): Token | undefined {
  const [whole, quoted, raw, number, variable, field, word, assign, sign] = match;
  if (quoted !== undefined) return { kind: 'string', text: unquoted(quoted) };
  if (raw !== undefined) return { kind: 'string', text: raw };
  if (number !== undefined)
    return {
      kind: 'number',
      text: number,
      value: /^[+-]?\d+$/.test(number) ? BigInt(number.replace('+', '')) : Number(number),
    };
  if (variable !== undefined) return { kind: 'variable', text: variable };
  if (word !== undefined) return { kind: 'word', text: word };
  if (assign !== undefined) return { kind: 'assign', text: assign };
  if (sign !== undefined) return { kind: 'sign', text: sign };
  if (!whole.startsWith('.')) return undefined;
  return { kind: 'field', text: field ?? '', isAttached: !isAfterSpace };
}

function unquoted(text: string): string {
  return text.replaceAll(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))/g, (_, byte, four, letter) => {
    if (letter === undefined) return String.fromCharCode(Number.parseInt(byte ?? four, 16));
    return (
      ({ n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' } as Record<string, string>)[letter] ?? letter
    );
  });
}
