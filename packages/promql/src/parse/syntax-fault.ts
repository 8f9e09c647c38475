import type { PromqlError } from '../error.ts';
import { isExperimental } from '../functions/signatures.ts';
import { parseError } from './fault.ts';

/** A place that the grammar does not allow. */
interface Broken {
  readonly from: number;
  readonly to: number;
  readonly parent: { readonly name: string } | null;
}

const KEYWORDS = new Set('bool by group_left group_right ignoring offset on without'.split(' '));
const OPERATOR_WORDS = new Set(['and', 'atan2', 'or', 'unless']);

/** Why a text is not an expression, in the words of Prometheus' lexer and parser as far as they can be known from the grammar's tree. */
export function syntaxFault(text: string, broken: Broken): PromqlError {
  const quote = openQuote(text);
  if (quote !== undefined) return parseError('unterminated quoted string', { from: quote, to: text.length, text });
  const rest = text.slice(broken.from);
  const from = broken.from + rest.length - rest.trimStart().length;
  const at = { from, to: Math.max(from, broken.to), text };
  const comma = text.slice(0, from).trimEnd().length - 1;
  if (text[from] === ')' && text[comma] === ',' && broken.parent?.name === 'FunctionCallBody')
    return parseError('trailing commas not allowed in function call args', { from: comma, to: comma + 1, text });
  return unknownCall(text, from) ?? parseError(described(text, from), at);
}

function described(text: string, from: number): string {
  const before = text.slice(0, from).trimEnd();
  const open = openBrackets(before);
  const [character] = text.slice(from);
  if (character === undefined) return unexpectedEnd(before, open.at(-1));
  if (open.at(-1) === '{' && /[^\w"'`,=!~}:\s]|\d/.test(character))
    return `unexpected character inside braces: '${character}'`;
  if (character === ')' && !open.includes('(')) return "unexpected right parenthesis ')'";
  if (character === '}' && !open.includes('{')) return "unexpected character: '}'";
  return `unexpected ${tokenAt(text, from)}${expectedAfter(before, open.at(-1))}`;
}

function unexpectedEnd(before: string, open: string | undefined): string {
  if (open === '{') return 'unexpected end of input inside braces';
  if (open === '(') return 'unclosed left parenthesis';
  if (open === '[') return 'unexpected end of input in duration expression';
  return `unexpected end of input${expectedAfter(before, open)}`;
}

/** The brackets that are not closed. */
function openBrackets(before: string): string[] {
  const open: string[] = [];
  for (const [part] of before.matchAll(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|#[^\n]*|[()[\]{}]/gs)) {
    if ('([{'.includes(part)) open.push(part);
    else if (')]}'.includes(part)) open.pop();
  }
  return open;
}

/** Where something else could have stood, and what. */
function expectedAfter(before: string, open: string | undefined): string {
  if (open === '{') {
    if (/[{,]$/.test(before)) return ' in label matching, expected identifier or "}"';
    if (/["'`]$/.test(before)) return ' in label matching, expected "," or "}"';
    return ` in label matching, expected ${/[=~]$/.test(before) ? 'string' : 'label matching operator'}`;
  }
  if (open === '[') {
    if (/\[$/.test(before)) return ' in subquery or range selector, expected number, duration, step(), or range()';
    return ` in subquery or range, expected ":" or "]"`;
  }
  if (open === '(' && /\b(by|without|on|ignoring|group_left|group_right)\s*\([^()]*$/i.test(before))
    return ` in grouping opts, expected ${/[(,]$/.test(before) ? 'label' : '"," or ")"'}`;
  if (/\b(by|without|on|ignoring)$/i.test(before)) return ' in grouping opts, expected "("';
  if (/\boffset$/i.test(before)) return ' in offset, expected number, duration, step(), or range()';
  return /@$/.test(before) ? ' in @, expected timestamp' : '';
}

function tokenAt(text: string, from: number): string {
  const rest = text.slice(from);
  const word = /^[A-Za-z_:][\w:]*/.exec(rest)?.[0];
  if (word !== undefined) {
    if (OPERATOR_WORDS.has(word.toLowerCase())) return `<op:${word.toLowerCase()}>`;
    return KEYWORDS.has(word.toLowerCase()) ? `<${word.toLowerCase()}>` : `identifier ${JSON.stringify(word)}`;
  }
  const number = /^[\d.]\w*/.exec(rest)?.[0];
  if (number !== undefined) return `number ${JSON.stringify(number)}`;
  const operator = /^(?:==|!=|>=|<=|<\/|>\/|[-+*/%^<>@])/.exec(rest)?.[0];
  if (operator !== undefined) return `<op:${operator}>`;
  const [character = ''] = rest;
  return '()[]{},=:'.includes(character) ? JSON.stringify(character) : `character: '${character}'`;
}

/** A call of something that the grammar does not know as a function. */
function unknownCall(text: string, from: number): PromqlError | undefined {
  const before = /[A-Za-z_:][\w:]*\s*$/.exec(text.slice(0, from));
  const after = /^[A-Za-z_:][\w:]*/.exec(text.slice(from));
  for (const [name, start] of [
    [before?.[0].trimEnd(), before?.index ?? 0],
    [after?.[0], from],
  ] as const) {
    if (name === undefined || KEYWORDS.has(name.toLowerCase()) || OPERATOR_WORDS.has(name.toLowerCase())) continue;
    if (!/^\s*\(/.test(text.slice(start + name.length))) continue;
    const at = { from: start, to: start + name.length, text };
    if (isExperimental(name)) return parseError(`function ${JSON.stringify(name)} is not enabled`, at);
    return parseError(`unknown function with name ${JSON.stringify(name)}`, at);
  }
  return undefined;
}

function openQuote(text: string): number | undefined {
  const parts = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|#[^\n]*|["'`]/gs;
  return [...text.matchAll(parts)].find(([part]) => part.length === 1 && part !== '#')?.index;
}
