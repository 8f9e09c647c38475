import { parser } from '@grafana/lezer-logql';
import { LogqlError } from './error.ts';

export type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];

/** The parser uses the stack for each level. */
const deepest = 100;
const longest = 65_536;

/** @throws LogqlError at the first place that the grammar does not allow */
export function treeOf(text: string): SyntaxNode {
  if (text.length > longest) throw new LogqlError(`the query has more than ${longest} characters`);
  if (depthOf(text) > deepest) throw new LogqlError(`the query is nested more than ${deepest} levels deep`);
  const tree = parser.parse(text);
  let broken: SyntaxNode | undefined;
  tree.iterate({
    enter(reference) {
      if (reference.type.isError) broken ??= reference.node;
    },
  });
  if (broken !== undefined) throw unexpected(text, broken);
  return tree.topNode;
}

/** Brackets in texts count too, which only makes the limit stricter. */
function depthOf(text: string): number {
  let [depth, most] = [0, 0];
  for (const one of text) {
    if (one === '(' || one === '{' || one === '[') most = Math.max(most, ++depth);
    else if (one === ')' || one === '}' || one === ']') depth--;
  }
  return most;
}

function unexpected(text: string, { from, to }: SyntaxNode): LogqlError {
  const before = text.slice(0, from).split('\n');
  const place = `line ${before.length}, col ${(before.at(-1)?.length ?? 0) + 1}`;
  const rest = text.slice(from, to > from ? to : from + 20).trim();
  const what = rest === '' ? 'end of the query' : JSON.stringify(rest.slice(0, 100));
  return new LogqlError(`parse error at ${place}: syntax error: unexpected ${what}`);
}

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (child.name !== 'LineComment') found.push(child);
  return found;
}

/** The descendants with a name, in order; not those within one that was found. */
export function allNamed(node: SyntaxNode, name: string): SyntaxNode[] {
  return childrenOf(node).flatMap((child) => (child.name === name ? [child] : allNamed(child, name)));
}

/** A text in Go's quoting. */
export function textOf(node: SyntaxNode, query: string): string {
  const raw = query.slice(node.from, node.to);
  if (raw.startsWith('`')) return raw.slice(1, -1);
  const known: Readonly<Record<string, string>> = {
    ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\', '"': '"', "'": "'" },
  };
  return raw
    .slice(1, -1)
    .replace(
      /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.?))/gs,
      (whole, byte, four, eight, octal, letter) => {
        const digits: string | undefined = byte ?? four ?? eight;
        if (digits !== undefined || octal !== undefined) {
          const code = digits === undefined ? Number.parseInt(octal, 8) : Number.parseInt(digits, 16);
          if (code <= 0x10ffff) return String.fromCodePoint(code);
        }
        const plain = Object.hasOwn(known, letter ?? '') ? known[letter] : undefined;
        if (plain === undefined) throw new LogqlError(`parse error: invalid escape sequence ${whole} in a string`);
        return plain;
      },
    );
}
