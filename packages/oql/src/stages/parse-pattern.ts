export interface Capture {
  readonly name: string;
  readonly type: 'string' | 'int' | 'float';
  /** Its number among the groups of the expression, from 1. */
  readonly group: number;
}

export interface Captures {
  /** An RE2 expression. */
  readonly regex: string;
  readonly captures: readonly Capture[];
}

const GROUPS: Readonly<Record<string, string>> = {
  int: '([+-]?\\d+)',
  float: '([+-]?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)',
  word: '(\\S+)',
  string: '(.*?)',
};

/**
 * `"<ip> - <_> took <ms:int>"`: text outside the brackets matches literally, ignoring case. A name matches as little as
 * possible, the last one the rest. `<_>` is skipped. Types: string, word, int, float.
 */
export function capturesOfPattern(pattern: string): Captures | string {
  const captures: Capture[] = [];
  let regex = '(?is)';
  let end = 0;
  for (const match of pattern.matchAll(/<([\p{L}_][\p{L}\p{N}_.]*)(?::([a-z]+))?>/gu)) {
    const [whole, name = '', type = 'string'] = match;
    const group = Object.hasOwn(GROUPS, type) ? GROUPS[type] : undefined;
    if (group === undefined) return `there is no type \`${type}\`; there are ${Object.keys(GROUPS).join(', ')}`;
    regex += escaped(pattern.slice(end, match.index));
    end = match.index + whole.length;
    const isLast = end === pattern.length && type === 'string';
    if (name === '_') regex += isLast ? '' : '.*?';
    else {
      regex += isLast ? '(.*)' : group;
      captures.push({ name, type: type === 'int' || type === 'float' ? type : 'string', group: captures.length + 1 });
    }
  }
  if (captures.length === 0) return 'it has no `<name>`';
  return { regex: regex + escaped(pattern.slice(end)), captures };
}

function escaped(literal: string): string {
  return literal.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** The named groups of an expression; `(?<name>…)` is RE2's `(?P<name>…)`. */
export function capturesOfRegex(pattern: string): Captures | string {
  const captures: Capture[] = [];
  let groups = 0;
  let regex = '';
  let inClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i] ?? '';
    if (character === '\\') {
      regex += character + (pattern[++i] ?? '');
      continue;
    }
    if (character === '[') inClass = true;
    if (character === ']') inClass = false;
    if (character !== '(' || inClass) {
      regex += character;
      continue;
    }
    const named = /^\(\?P?<([A-Za-z_][A-Za-z0-9_]*)>/.exec(pattern.slice(i));
    if (named) {
      groups++;
      captures.push({ name: named[1] ?? '', type: 'string', group: groups });
      regex += `(?P<${named[1]}>`;
      i += named[0].length - 1;
    } else {
      if (pattern[i + 1] !== '?') groups++;
      regex += character;
    }
  }
  return captures.length === 0 ? 'it has no named group, such as `(?<name>…)`' : { regex, captures };
}
