/** RE2 rejects more (`kMaxRepeat`). */
const MAX_REPEAT = 1000;

/**
 * Why RE2 rejects an expression, or undefined. RE2 runs in linear time because it has no look-around and no
 * back-references; this function reports them with their position, before the engine does. The expression never runs in
 * JavaScript, whose engine can take seconds for 28 characters.
 */
export function regexFault(pattern: string): string | undefined {
  if (pattern.length > 1000) return 'it has more than 1000 characters';
  if (/(^|[^\\])(\\\\)*\(\?(=|!|<=|<!)/.test(pattern)) return 'RE2 does not support look-ahead or look-behind';
  if (/(^|[^\\])(\\\\)*\\([1-9]|k<)/.test(pattern)) return 'RE2 does not support back-references';
  const counts = [...pattern.matchAll(/(?:^|[^\\])(?:\\\\)*\{(\d+)(?:,(\d*))?\}/g)].flatMap(([, least, most]) => [
    least,
    most,
  ]);
  if (counts.some((count) => Number(count ?? 0) > MAX_REPEAT))
    return `it repeats something more than ${MAX_REPEAT} times`;
  return unbalanced(pattern);
}

function unbalanced(pattern: string): string | undefined {
  let depth = 0;
  let inClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i];
    if (character === '\\') {
      if (i + 1 === pattern.length) return 'it ends with a backslash';
      i++;
    } else if (inClass) {
      if (character === ']') inClass = false;
    } else if (character === '[') {
      inClass = true;
      if (pattern[i + 1] === '^') i++;
      if (pattern[i + 1] === ']') i++;
    } else if (character === '(') depth++;
    else if (character === ')' && --depth < 0) return 'a `(` is missing';
    else if ((character === '*' || character === '+' || character === '?') && (i === 0 || pattern[i - 1] === '|')) {
      return `\`${character}\` has nothing to repeat`;
    }
  }
  if (inClass) return 'a `]` is missing';
  return depth > 0 ? 'a `)` is missing' : undefined;
}
