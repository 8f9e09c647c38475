import MiniSearch, { type SearchResult } from 'minisearch';

/** What the search of the site reads: each page with its sections. */
export interface SearchText {
  readonly path: string;
  readonly title: string;
  /** Pages that the contents list come before the others. */
  readonly listed: boolean;
  readonly sections: readonly { readonly title: string; readonly anchor: string; readonly text: string }[];
}

export interface Found {
  /** Relative to the site, with the anchor of the heading. */
  readonly path: string;
  readonly heading: string;
  /** The title of its page. */
  readonly page: string;
  /** The text of the section around what was found. */
  readonly text: string;
}

const MAX_FOUND = 12;
const MAX_TEXT = 160;

/** An index over the sections of all pages. */
export function indexOf(pages: readonly SearchText[]): MiniSearch {
  const index = new MiniSearch({
    fields: ['heading', 'text'],
    storeFields: ['path', 'heading', 'page', 'text', 'listed'],
    // Names such as FANION_DATA_DIR and http.route are found by their parts.
    tokenize: (text) => text.split(/[^\p{L}\p{N}]+/u),
  });
  let id = 0;
  for (const { path, title, listed, sections } of pages)
    for (const { title: heading, anchor, text } of sections)
      index.add({ id: id++, path: anchor === '' ? path : `${path}#${anchor}`, heading, page: title, text, listed });
  return index;
}

/** The sections that have all the words, the last of which may be unfinished; guides come before notes for contributors. */
export function find(index: MiniSearch, words: string): Found[] {
  const results = index.search(words, {
    combineWith: 'AND',
    prefix: true,
    fuzzy: (term) => (term.length > 5 ? 0.15 : false),
    boost: { heading: 3 },
    boostDocument: (_id, _term, stored) => (stored?.listed === true ? 2 : 1),
  });
  return results.slice(0, MAX_FOUND).map((result) => ({
    path: String(result.path),
    heading: String(result.heading),
    page: String(result.page),
    text: around(String(result.text), words, result),
  }));
}

function around(text: string, words: string, { queryTerms, terms }: SearchResult): string {
  const lower = text.toLowerCase();
  // What was typed tells most, then its longest word; words that were only completed or corrected tell less.
  const longestFirst = (some: readonly string[]) => [...some].sort((a, b) => b.length - a.length);
  const places = [words.toLowerCase(), ...longestFirst(queryTerms), ...longestFirst(terms)]
    .map((word) => lower.indexOf(word))
    .filter((at) => at >= 0);
  const start = Math.max(0, (places[0] ?? 0) - MAX_TEXT / 4);
  return (start === 0 ? '' : '…') + text.slice(start, start + MAX_TEXT);
}
