import { NoEqual } from './ast.ts';

/** As in Go: what a repetition repeats counts as often. */
const maxRepeats = 1_000;
const maxCharacters = 2_000;

/**
 * Refuses patterns that would become too large for an engine: long ones, and repetitions within repetitions.
 *
 * @throws NoEqual
 */
export function checkPattern(pattern: string): void {
  if (pattern.length > maxCharacters) throw new NoEqual(`a pattern has more than ${maxCharacters} characters`);
  /** The most repetitions within each open group; the first is the pattern itself. */
  const open = [1];
  let last = 1;
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i];
    if (character === '\\') {
      i++;
      last = 1;
    } else if (character === '[') {
      const end = pattern.indexOf(']', i + (pattern[i + 1] === ']' ? 2 : pattern.startsWith('[^]', i) ? 3 : 1));
      if (end < 0) return;
      i = end;
      last = 1;
    } else if (character === '(') {
      open.push(1);
    } else if (character === ')') {
      last = open.pop() ?? 1;
      if (open.length === 0) open.push(1);
    } else if (character === '{') {
      const [text, least = '1', most = ''] = /^\{(\d+)(?:,(\d*))?\}/.exec(pattern.slice(i, i + 20)) ?? [];
      if (text === undefined) continue;
      last *= Math.max(1, Number(most === '' ? least : most));
      i += text.length - 1;
    } else last = 1;
    if (last > maxRepeats) throw new NoEqual(`a pattern repeats more than ${maxRepeats} times`);
    open[open.length - 1] = Math.max(open.at(-1) ?? 1, last);
  }
}
