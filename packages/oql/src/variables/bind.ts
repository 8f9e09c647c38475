import type { SyntaxNode, Tree } from '@lezer/common';
import { isComment } from '../syntax/cursor.ts';
import { strictParser } from '../syntax/errors.ts';
import { checkLimits, LIMITS } from '../syntax/guard.ts';
import { parseString, printString } from '../syntax/literals.ts';

export type VariableScalar = string | number | boolean;
/** What a variable stands for. */
export type BoundVariable =
  /** Any value, or none was chosen: a condition with it is true. */
  | { readonly kind: 'any' }
  | { readonly kind: 'values'; readonly values: readonly VariableScalar[] }
  /** A duration such as `5m`. */
  | { readonly kind: 'duration'; readonly text: string };

export type BoundText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

const durationForm = /^(\d+(\.\d+)?(ns|us|ms|s|m|h|d|w))+$/;
const tooLong: BoundText = {
  ok: false,
  reason: `with the values of its variables it is longer than ${LIMITS.characters} characters: choose fewer values`,
};
/** Each pass settles at least one use of a variable, so this is reached only by texts that grow with every pass. */
const maxPasses = 50;

/** The names of the variables that a text uses, as `$name` or `${name}` in a quoted text. Never throws. */
export function variablesIn(text: string): readonly string[] {
  const tree = treeOf(text);
  if (tree === undefined)
    return [...new Set([...text.matchAll(/\$\{?([A-Za-z_][A-Za-z0-9_]*)/g)].map(([, name]) => name ?? ''))];
  return [...new Set(usesIn(tree, text).map(({ name }) => name))];
}

/**
 * Writes the values of variables into an OQL text: `$name` where a value may be, `${name}` within a quoted text. Of several
 * values, `==` means one of them and `!=` none of them, and so for the other operators. A condition with a variable of any
 * value is true, and neutral within `not`. Unknown names stay, for the compiler to report; so does a text that does not parse.
 */
export function bindVariables(text: string, variables: ReadonlyMap<string, BoundVariable>): BoundText {
  let bound = text;
  for (let pass = 0; pass < maxPasses; pass++) {
    const tree = treeOf(bound);
    if (tree === undefined) return { ok: true, text: bound };
    const edits: Edit[] = [];
    for (const use of usesIn(tree, bound)) {
      const variable = variables.get(use.name);
      if (variable === undefined || edits.some(({ from, to }) => use.node.from < to && use.node.to > from)) continue;
      const edit = editOf(use, variable, bound);
      if ('reason' in edit) return { ok: false, reason: edit.reason };
      // The condition around this use may hold another one that was settled: the next pass takes it.
      if (!edits.some(({ from, to }) => edit.from < to && edit.to > from)) edits.push(edit);
    }
    if (edits.length === 0) return { ok: true, text: bound };
    const longer = edits.reduce((sum, { from, to, text }) => sum + text.length - (to - from), 0);
    if (bound.length + longer > LIMITS.characters) return tooLong;
    bound = edited(bound, edits);
  }
  return { ok: false, reason: 'it uses too many variables' };
}

interface Use {
  readonly name: string;
  /** A `Param`, or a `String` that names the variable. */
  readonly node: SyntaxNode;
}

function treeOf(text: string): Tree | undefined {
  if (checkLimits(text)) return undefined;
  try {
    return strictParser.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function usesIn(tree: Tree, text: string): Use[] {
  const uses: Use[] = [];
  tree.iterate({
    enter({ node }) {
      const written = text.slice(node.from, node.to);
      if (node.name === 'Param') uses.push({ name: written.slice(1).trim(), node });
      if (node.name === 'String')
        for (const [, name = ''] of written.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)) uses.push({ name, node });
    },
  });
  return uses;
}

function editOf({ name, node }: Use, variable: BoundVariable, text: string): Edit | { readonly reason: string } {
  const condition = conditionAround(node);
  const values = variable.kind === 'values' ? variable.values : [];
  if (variable.kind === 'any' || (variable.kind === 'values' && values.length === 0)) {
    if (condition) return { ...rangeOf(condition), text: isNegated(condition) ? 'false' : 'true' };
    if (node.name === 'String') return { ...rangeOf(node), text: interpolated(node, text, name, '') };
    return { ...rangeOf(node), text: calledBy(node, text) === 'bucket' ? 'auto' : 'null' };
  }
  const written = (value: VariableScalar) => {
    if (node.name === 'String') return interpolated(node, text, name, String(value));
    return variable.kind === 'duration' ? String(value) : printScalar(value);
  };
  if (variable.kind === 'duration') {
    if (!durationForm.test(variable.text)) return { reason: `$${name} is not a duration such as 5m` };
    return { ...rangeOf(node), text: written(variable.text) };
  }
  const [only] = values;
  if (values.length === 1 && only !== undefined) return { ...rangeOf(node), text: written(only) };
  if (node.parent?.name === 'List' && node.name === 'Param')
    return { ...rangeOf(node), text: values.map(written).join(', ') };
  if (condition === undefined) return { reason: `$${name} has several values where one is needed` };
  return { ...rangeOf(condition), text: ofEach(condition, node, values.map(written), text) };
}

/** The condition for each value, joined: `==` and `!=` become lists, since these are cheaper. */
function ofEach(condition: SyntaxNode, node: SyntaxNode, values: readonly string[], text: string): string {
  const operator = operatorOf(condition, text);
  const left = children(condition)[0];
  const isWhole = children(condition).at(-1)?.from === node.from && left !== undefined;
  if (isWhole && (operator === '==' || operator === '!=')) {
    const list = `${text.slice(left.from, left.to)} ${operator === '==' ? 'in' : 'not in'} (${values.join(', ')})`;
    return `(${list})`;
  }
  const each = values.map((value) => {
    const { from, to } = node;
    return text.slice(condition.from, from) + value + text.slice(to, condition.to);
  });
  return `(${each.join(isExcluding(condition, operator) ? ' and ' : ' or ')})`;
}

function isExcluding(condition: SyntaxNode, operator: string): boolean {
  return operator === '!=' || operator === '!~' || (condition.name === 'In' && condition.getChild('not') !== null);
}

function operatorOf(condition: SyntaxNode, text: string): string {
  const operator = condition.getChild('CompareOp');
  return operator ? text.slice(operator.from, operator.to) : '';
}

/** The nearest comparison around a node, within its pipeline. */
function conditionAround(node: SyntaxNode): SyntaxNode | undefined {
  for (let at = node.parent; at && at.name !== 'Pipeline'; at = at.parent)
    if (at.name === 'Comparison' || at.name === 'In' || at.name === 'Between') return at;
  return undefined;
}

function isNegated(condition: SyntaxNode): boolean {
  let negated = false;
  for (let at = condition.parent; at && at.name !== 'Pipeline'; at = at.parent)
    if (at.name === 'Not') negated = !negated;
  return negated;
}

/** The function that the node is an argument of. */
function calledBy(node: SyntaxNode, text: string): string | undefined {
  const call = node.parent?.name === 'Args' ? node.parent.parent : null;
  const func = call?.getChild('Func');
  return func ? text.slice(func.from, func.to) : undefined;
}

function interpolated(node: SyntaxNode, text: string, name: string, value: string): string {
  const parts = parseString(text.slice(node.from, node.to)).split(`\${${name}}`);
  return `"${parts.map((part) => printString(part).slice(1, -1)).join(inQuotes(value))}"`;
}

function printScalar(value: VariableScalar): string {
  return typeof value === 'string' ? `"${inQuotes(value)}"` : String(value);
}

/** Escapes what names a variable, so that a value is not taken for a use of another one. */
function inQuotes(value: string): string {
  return printString(value).slice(1, -1).replaceAll('$', '\\u0024').replaceAll('{', '\\u007b');
}

function children(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let at = node.firstChild; at; at = at.nextSibling) if (!isComment(at)) found.push(at);
  return found;
}

function rangeOf({ from, to }: SyntaxNode): { from: number; to: number } {
  return { from, to };
}

function edited(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { from, to, text: by } of edits.toSorted((a, b) => a.from - b.from)) {
    parts.push(text.slice(at, from), by);
    at = to;
  }
  return parts.join('') + text.slice(at);
}
