/**
 * How many key columns the result of a query has: the expressions after the `by` of its last `stats`. They come
 * before the aggregates, so this tells a numeric key from a measure. Undefined where the query has no such stage.
 * Skips strings, quoted names and brackets. The server has parsed the query; this only counts.
 */
export function stageKeys(query: string): number | undefined {
  const stages = splitTop(query, '|').map((stage) => stage.trim());
  const stats = stages.findLast((stage) => /^stats\b/.test(stage));
  if (stats === undefined) return undefined;
  const words = splitTop(stats, ' ');
  const by = words.indexOf('by');
  return by === -1 ? 0 : splitTop(words.slice(by + 1).join(' '), ',').filter((part) => part.trim() !== '').length;
}

/** Splits a text at a separator that stands outside of strings, quoted names, comments and brackets. */
function splitTop(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '"' || char === "'" || char === '`') {
      i = endOfQuote(text, i);
    } else if (text.startsWith('//', i)) {
      const end = text.indexOf('\n', i);
      i = end === -1 ? text.length : end;
    } else if ('([{'.includes(char)) depth += 1;
    else if (')]}'.includes(char)) depth -= 1;
    else if (depth === 0 && (char === separator || (separator === ' ' && /\s/.test(char)))) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function endOfQuote(text: string, start: number): number {
  const quote = text.charAt(start);
  for (let i = start + 1; i < text.length; i++) {
    if (text.charAt(i) === '\\') i += 1;
    else if (text.charAt(i) === quote) return i;
  }
  return text.length;
}
