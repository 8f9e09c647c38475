import { Marked, type Token, type Tokens } from 'marked';
import { anchorOf, siteLink } from './paths.ts';

/** A part of a page that search finds: a heading and the text below it, up to the next one. */
export interface Section {
  readonly title: string;
  /** The id of the heading, without `#`. Empty for the top of the page. */
  readonly anchor: string;
  readonly text: string;
}

export interface Heading {
  readonly title: string;
  readonly anchor: string;
  readonly depth: number;
}

export interface Page {
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
}

export const escaped = (text: string) =>
  text.replaceAll(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);

/**
 * A page of Markdown as HTML.
 *
 * @param file its path in the repository
 * @param files what the site has, as paths of the repository
 */
export function renderPage(file: string, markdown: string, files: ReadonlySet<string>): Page {
  const marked = new Marked({ gfm: true });
  const tokens = marked.lexer(markdown);
  const headings: Heading[] = [];
  const anchors = new Map<string, number>();
  marked.use({
    renderer: {
      heading({ tokens: inner, depth, text }: Tokens.Heading) {
        const base = anchorOf(text);
        const times = anchors.get(base) ?? 0;
        anchors.set(base, times + 1);
        const anchor = times === 0 ? base : `${base}-${times}`;
        headings.push({ title: plainText(inner), anchor, depth });
        return `<h${depth} id="${anchor}">${this.parser.parseInline(inner)}</h${depth}>\n`;
      },
      link({ href, tokens: inner }: Tokens.Link) {
        const to = siteLink(file, href, files);
        const text = this.parser.parseInline(inner);
        return to === undefined ? text : `<a href="${escaped(to)}">${text}</a>`;
      },
      image({ href, text }: Tokens.Image) {
        return `<img src="${escaped(siteLink(file, href, files) ?? href)}" alt="${escaped(text)}" loading="lazy">`;
      },
      // Wide code and tables scroll by themselves, not with the page; the keyboard reaches them.
      code({ text }: Tokens.Code) {
        return `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`;
      },
      table(table: Tokens.Table) {
        const cell = (tag: string, { tokens: inner }: Tokens.TableCell) =>
          `<${tag}>${this.parser.parseInline(inner)}</${tag}>`;
        const head = table.header.map((one) => cell('th', one)).join('');
        const rows = table.rows.map((row) => `<tr>${row.map((one) => cell('td', one)).join('')}</tr>`).join('\n');
        return `<div class="table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>\n${rows}\n</tbody></table></div>\n`;
      },
    },
  });
  const html = marked.parser(tokens);
  return { title: headings[0]?.title ?? file, html, headings, sections: sectionsOf(tokens, headings) };
}

function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  const sections: { title: string; anchor: string; text: string }[] = [];
  let next = 0;
  for (const token of tokens) {
    if (token.type === 'heading') {
      const { title = '', anchor = '', depth = 1 } = headings[next++] ?? {};
      sections.push({ title, anchor: depth === 1 ? '' : anchor, text: '' });
      continue;
    }
    const section = sections.at(-1);
    const text = plainText([token]).replaceAll(/\s+/g, ' ').trim();
    if (section !== undefined && text !== '') section.text = section.text === '' ? text : `${section.text} ${text}`;
  }
  return sections;
}

/** The words of tokens, without marks. */
export function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token): string => {
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table;
        return [header, ...rows]
          .flat()
          .map((cell) => plainText(cell.tokens))
          .join(' ');
      }
      if (token.type === 'list') return (token as Tokens.List).items.map((item) => plainText(item.tokens)).join(' ');
      if (token.type === 'html') return '';
      if ('tokens' in token && token.tokens !== undefined) return plainText(token.tokens);
      return 'text' in token && typeof token.text === 'string' ? token.text : ' ';
    })
    .join('');
}
