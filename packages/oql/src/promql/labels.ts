import { type Expression, NoEqual } from './ast.ts';
import { unfiltered } from './computed.ts';
import type { Context } from './context.ts';
import { checkPattern } from './pattern.ts';
import { labelField } from './selector.ts';
import type { Vector } from './vector.ts';

/** `label_replace(v, to, replacement, from, pattern)`: where the whole label matches. Labels are texts here, empty where they are missing. */
export function replacedLabel(context: Context, [of, ...rest]: readonly Expression[]): Vector {
  const [to, replacement, from, pattern] = rest.map(textOf);
  if (of === undefined || to === undefined || replacement === undefined || from === undefined || pattern === undefined)
    throw new NoEqual('label_replace needs a vector and four texts');
  checkPattern(pattern);
  const vector = unfiltered(context, context.vectorOf(of));
  const whole = JSON.stringify(`^(?s:${pattern})$`);
  const source = labelText(vector, from);
  const replaced = `regex_replace(${source}, ${whole}, ${JSON.stringify(rewritten(replacement, groupsIn(pattern)))})`;
  return withLabel(vector, to, `if(${source} =~ ${whole}, ${replaced}, ${labelText(vector, to)})`);
}

/** `label_join(v, to, separator, from, …)`. */
export function joinedLabel(context: Context, [of, ...rest]: readonly Expression[]): Vector {
  const [to, separator, ...from] = rest.map(textOf);
  if (of === undefined || to === undefined || separator === undefined)
    throw new NoEqual('label_join needs a vector and texts');
  const vector = unfiltered(context, context.vectorOf(of));
  const parts = from.flatMap((label, i) => [
    ...(i === 0 ? [] : [JSON.stringify(separator)]),
    labelText(vector, label ?? ''),
  ]);
  return withLabel(vector, to, parts.length === 0 ? '""' : `concat(${parts.join(', ')})`);
}

function textOf(expression: Expression): string | undefined {
  return expression.kind === 'text' ? expression.value : undefined;
}

function labelText({ labels }: Vector, label: string): string {
  checkName(label);
  return labels.includes(label) ? label : '""';
}

function withLabel({ stages, labels }: Vector, label: string, value: string): Vector {
  checkName(label);
  return { stages: [...stages, `extend ${label} = ${value}`], labels: [...new Set([...labels, label])].sort() };
}

function checkName(label: string): void {
  if (label === '__name__') throw new NoEqual('the name of a metric is no label of the result');
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(label)) throw new NoEqual(`${JSON.stringify(label)} is not the name of a label`);
  labelField(label);
}

/** The groups of a pattern, which `$1` and `$2` mean. */
function groupsIn(pattern: string): number {
  let groups = 0;
  let isInClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i];
    if (character === '\\') {
      if (pattern[i + 1] === 'Q') throw new NoEqual('a pattern quotes a part of itself');
      i++;
    } else if (isInClass) isInClass = character !== ']';
    else if (character === '[') {
      isInClass = true;
      // A bracket at the start of a class is one of its characters.
      if (pattern[i + 1] === '^') i++;
      if (pattern[i + 1] === ']') i++;
    } else if (character === '(' && pattern[i + 1] !== '?') groups++;
    else if (character === '(' && /^\(\?P?</.test(pattern.slice(i, i + 4)))
      throw new NoEqual('label_replace with a pattern of named groups');
  }
  return groups;
}

/** The replacement as RE2 writes it: `\1` for `$1` and `${1}`. */
function rewritten(replacement: string, groups: number): string {
  return replacement.replace(/\\|\$(?:\$|\{(\w*)\}|(\w+))?/g, (found, braced?: string, bare?: string) => {
    if (found === '\\') return '\\\\';
    const name = braced ?? bare;
    if (name === undefined) return '$';
    const group = /^\d$/.test(name) ? Number(name) : Number.NaN;
    if (!(group <= groups)) throw new NoEqual(`label_replace with ${found}, which is no group of its pattern`);
    return `\\${group}`;
  });
}
