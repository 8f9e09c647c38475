import { posix } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';
import { plainText } from './render.ts';

export interface Step {
  readonly title: string;
  readonly pages: readonly { readonly title: string; readonly file: string }[];
}

/** The steps of a reader and their pages: the headings of `docs/README.md` and the first links of their list items. */
export function contentsOf(markdown: string, file: string): Step[] {
  const steps: { title: string; pages: { title: string; file: string }[] }[] = [];
  for (const token of new Marked().lexer(markdown)) {
    if (token.type === 'heading' && token.depth === 2) steps.push({ title: plainText(token.tokens ?? []), pages: [] });
    if (token.type !== 'list') continue;
    for (const item of (token as Tokens.List).items) {
      const link = firstLink(item.tokens);
      if (link === undefined || link.href.includes('#')) continue;
      const page = { title: plainText(link.tokens), file: posix.join(posix.dirname(file), link.href) };
      steps.at(-1)?.pages.push(page);
    }
  }
  return steps;
}

function firstLink(tokens: readonly Token[]): Tokens.Link | undefined {
  for (const token of tokens) {
    if (token.type === 'link') return token as Tokens.Link;
    const inner = 'tokens' in token && token.tokens !== undefined ? firstLink(token.tokens) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}
