import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SearchText } from '../../src/docs/found.ts';
import { contentsOf } from './contents.ts';
import { layout } from './layout.ts';
import { PAGES_AT_ROOT, sitePath } from './paths.ts';
import { renderPage } from './render.ts';

const INDEX = 'docs/README.md';

export interface SiteFile {
  /** Relative to the directory of the site. */
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** All files of the documentation site but its script, from the pages in `docs` and at the root of the repository. */
export function buildSite(root: string, script: string): SiteFile[] {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replace(/^\//, ''));
  const files = new Set([...PAGES_AT_ROOT, ...inDocs]);
  const pages = [...files].filter((file) => file.endsWith('.md')).sort();
  const steps = contentsOf(read(INDEX), INDEX);
  const listed = new Set(steps.flatMap((step) => step.pages.map(({ file }) => file)));
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const site = { steps, version, style: 'style.css', script };
  const search: SearchText[] = [];
  const html = pages.map((file) => {
    const page = renderPage(file, read(file), files);
    const path = sitePath(file);
    search.push({ path, title: page.title, listed: listed.has(file), sections: page.sections });
    return { path, content: layout(file, page, site) };
  });
  const others = inDocs.filter((file) => !file.endsWith('.md'));
  return [
    ...html,
    ...others.map((file) => ({ path: sitePath(file), content: readFileSync(join(root, file)) })),
    { path: 'search.json', content: JSON.stringify(search) },
    { path: 'style.css', content: readFileSync(new URL('./style.css', import.meta.url)) },
  ];
}
