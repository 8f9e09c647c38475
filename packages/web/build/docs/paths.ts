import { posix } from 'node:path';

/** Pages of the repository outside of `docs` that the site shows, too. */
export const PAGES_AT_ROOT = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

/** Where the site has a page: `docs/guides/install.md` → `guides/install.html`, `docs/README.md` → `index.html`. */
export function sitePath(file: string): string {
  if (file === 'README.md') return 'about.html';
  return file
    .replace(/^docs\//, '')
    .replace(/\bREADME\.md$/, 'index.md')
    .replace(/\.md$/, '.html')
    .toLowerCase();
}

/** The way from one page of the site to another, or to a file beside the pages. */
export function relativePath(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to);
}

/**
 * A link of a page, as the site has it. Undefined: it leads to a file of the repository that the site does not have.
 *
 * @param files what the site has, as paths of the repository
 */
export function siteLink(file: string, target: string, files: ReadonlySet<string>): string | undefined {
  if (/^([a-z]+:|#)/.test(target)) return target;
  const [path = '', anchor] = target.split('#');
  const linked = posix.join(posix.dirname(file), path);
  if (!files.has(linked)) return undefined;
  return relativePath(sitePath(file), sitePath(linked)) + (anchor === undefined ? '' : `#${anchor}`);
}

/** The anchor of a heading, as the usual hosts of Markdown make it. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[`*]/g, '')
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
