import type { Step } from './contents.ts';
import { relativePath, sitePath } from './paths.ts';
import { escaped, type Page } from './render.ts';

/** What all pages share. Paths are those of the site. */
export interface Site {
  readonly steps: readonly Step[];
  readonly version: string;
  readonly style: string;
  /** Relative to the directory of the site. */
  readonly script: string;
}

/** A whole page: steps at the left, the text, the headings of the page at the right. It works without the script, but for search. */
export function layout(file: string, page: Page, { steps, version, style, script }: Site): string {
  const here = sitePath(file);
  const to = (path: string) => escaped(relativePath(here, path));
  const current = (path: string) => (path === here ? ' aria-current="page"' : '');
  const navigation = steps
    .map(({ title, pages }) => {
      const items = pages.map((one) => {
        const path = sitePath(one.file);
        return `<li><a href="${to(path)}"${current(path)}>${escaped(one.title)}</a></li>`;
      });
      return `<h2>${escaped(title)}</h2>\n<ul>${items.join('')}</ul>`;
    })
    .join('\n');
  const parts = page.headings.filter(({ depth }) => depth === 2);
  const onThisPage = parts
    .map(({ title, anchor }) => `<li><a href="#${escaped(anchor)}">${escaped(title)}</a></li>`)
    .join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(page.title)} · Fanion</title>
<link rel="icon" href="${to('../favicon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${to(style)}">
<script type="module" src="${to(script)}" data-site="${to('.') || '.'}"></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header>
<a class="name" href="${to('index.html')}">Fanion <span>${escaped(version)}</span></a>
<div role="search"><input type="search" id="search" placeholder="Search" aria-label="Search the documentation" aria-controls="found" autocomplete="off" hidden><div id="found" hidden></div></div>
<a class="to-pages" href="#pages">All pages</a>
</header>
<div class="columns">
<nav id="pages" aria-label="Documentation">
${navigation}
</nav>
<main id="text">
${page.html}</main>
${parts.length < 2 ? '' : `<aside aria-label="On this page"><h2>On this page</h2><ul>${onThisPage}</ul></aside>`}
</div>
</body>
</html>
`;
}
