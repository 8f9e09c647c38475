/** A part of a line of Markdown. */
export type Inline =
  | { readonly kind: 'text' | 'code' | 'strong' | 'emphasis'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly url: string };

/** A block of Markdown. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly parts: readonly Inline[] }
  | { readonly kind: 'paragraph' | 'quote'; readonly parts: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly (readonly Inline[])[] }
  | {
      readonly kind: 'table';
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | { readonly kind: 'rule' };

const ITEM = /^\s{0,3}(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const FENCE = /^\s{0,3}(```|~~~)/;
const ROW = /^\s*\|.*\|\s*$/;
const SEPARATOR = /^\s*\|?(\s*:?-+:?\s*\|)+\s*:?-*:?\s*\|?\s*$/;

/**
 * Parses the Markdown that notes need: headings, paragraphs, lists, tables, code, quotes, rules, emphasis and links. The result
 * has no HTML: tags stay text, and a link leads to a web page or a page of this application.
 */
export function parseMarkdown(text: string): Block[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const blocks: Block[] = [];
  let at = 0;
  const take = (matches: (line: string) => boolean): string[] => {
    const taken: string[] = [];
    for (let line = lines[at]; line !== undefined && matches(line); line = lines[++at]) taken.push(line);
    return taken;
  };
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const heading = HEADING.exec(line);
    if (line.trim() === '') at++;
    else if (FENCE.test(line)) {
      const fence = FENCE.exec(line)?.[1] ?? '';
      at++;
      blocks.push({ kind: 'code', text: take((next) => !next.trim().startsWith(fence)).join('\n') });
      at++;
    } else if (heading) {
      at++;
      blocks.push({ kind: 'heading', level: heading[1]?.length ?? 1, parts: parseInline(heading[2] ?? '') });
    } else if (/^\s{0,3}([-*_])(\s*\1){2,}\s*$/.test(line)) {
      at++;
      blocks.push({ kind: 'rule' });
    } else if (ITEM.test(line)) {
      const ordered = ITEM.exec(line)?.[1] !== undefined;
      const items = take((next) => ITEM.test(next) && (ITEM.exec(next)?.[1] !== undefined) === ordered);
      blocks.push({ kind: 'list', ordered, items: items.map((item) => parseInline(ITEM.exec(item)?.[2] ?? '')) });
    } else if (ROW.test(line) && SEPARATOR.test(lines[at + 1] ?? '')) {
      const [head = [], , ...rows] = take((next) => ROW.test(next)).map(cells);
      blocks.push({ kind: 'table', head, rows });
    } else if (/^\s{0,3}>/.test(line)) {
      const quoted = take((next) => /^\s{0,3}>/.test(next));
      blocks.push({ kind: 'quote', parts: parseInline(quoted.map((one) => one.replace(/^\s*>\s?/, '')).join(' ')) });
    } else {
      const [first = ''] = take((next) => next === line).slice(0, 1);
      const rest = take((next) => next.trim() !== '' && !startsBlock(next));
      blocks.push({ kind: 'paragraph', parts: parseInline([first, ...rest].map((one) => one.trim()).join(' ')) });
    }
  }
  return blocks;
}

function startsBlock(line: string): boolean {
  return HEADING.test(line) || ITEM.test(line) || FENCE.test(line) || ROW.test(line) || /^\s{0,3}>/.test(line);
}

function cells(row: string): Inline[][] {
  return row
    .trim()
    .slice(1, -1)
    .split('|')
    .map((cell) => parseInline(cell.trim()));
}

/** Code, bold, emphasis and links. Every alternative is bounded, so that the time grows with the length only. */
const INLINE =
  /`([^`\n]{1,2000})`|\*\*([^*\n]{1,2000})\*\*|(?<![\w*])\*([^*\s][^*\n]{0,2000})\*|(?<!\w)_([^_\s][^_\n]{0,2000})_(?!\w)|\[([^\]\n]{1,500})\]\(([^)\s]{1,2000})\)/g;

export function parseInline(text: string): Inline[] {
  const parts: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > from) parts.push({ kind: 'text', text: text.slice(from, match.index) });
    from = match.index + match[0].length;
    const [written, code, strong, star, underscore, label, url] = match;
    if (code !== undefined) parts.push({ kind: 'code', text: code });
    else if (strong !== undefined) parts.push({ kind: 'strong', text: strong });
    else if (label !== undefined && url !== undefined)
      parts.push(isSafeUrl(url) ? { kind: 'link', text: label, url } : { kind: 'text', text: written });
    else parts.push({ kind: 'emphasis', text: star ?? underscore ?? '' });
  }
  if (from < text.length) parts.push({ kind: 'text', text: text.slice(from) });
  return parts;
}

/** A web page, or a page of this application; never a script or another host by `//`. */
export function isSafeUrl(url: string): boolean {
  return /^(https?:\/\/|\/(?![/\\]))/i.test(url);
}
