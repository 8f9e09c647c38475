import { describe, expect, it } from 'vitest';
import { contentsOf } from './contents.ts';
import { renderPage } from './render.ts';

const files = new Set([
  'README.md',
  'docs/README.md',
  'docs/guides/install.md',
  'docs/configuration.md',
  'docs/images/a.png',
]);
const render = (markdown: string) => renderPage('docs/guides/install.md', markdown, files);

describe('pages of the documentation site', () => {
  it.each([
    ['[x](../configuration.md#data)', '<a href="../configuration.html#data">x</a>'],
    ['[x](../../README.md)', '<a href="../about.html">x</a>'],
    ['[x](../README.md)', '<a href="../index.html">x</a>'],
    ['[x](#npm)', '<a href="#npm">x</a>'],
    ['[x](https://example.com/a?b=1&c=2)', '<a href="https://example.com/a?b=1&amp;c=2">x</a>'],
    ['![x](../images/a.png)', '<img src="../images/a.png" alt="x" loading="lazy">'],
  ])('turns %s into a link of the site', (markdown, html) => {
    expect(render(markdown).html).toBe(`<p>${html}</p>\n`);
  });

  it('keeps only the text of a link to a file that the site does not have', () => {
    expect(render('See [the code](../../packages/server).').html).toBe('<p>See the code.</p>\n');
  });

  it('gives headings of the same text different anchors', () => {
    const { html, headings } = render('# A\n\n## `fanion` data\n\n## fanion data');
    expect(headings.map(({ anchor }) => anchor)).toEqual(['a', 'fanion-data', 'fanion-data-1']);
    expect(html).toContain('<h2 id="fanion-data-1">fanion data</h2>');
  });

  it('gives the search the words of a section, also of its tables, lists and code', () => {
    const { sections } = render(
      '# A\n\nOne *two*.\n\n## B\n\n| h |\n| - |\n| `cell` |\n\n- item\n\n```sh\nrun & go\n```',
    );
    expect(sections).toEqual([
      { title: 'A', anchor: '', text: 'One two.' },
      { title: 'B', anchor: 'b', text: 'h cell item run & go' },
    ]);
  });

  it('reads the steps of a reader from the list of guides', () => {
    const markdown =
      '# Docs\n\n## Install\n\n- [Install](guides/install.md): or [about](../README.md)\n- [Part](a.md#b)\n';
    expect(contentsOf(markdown, 'docs/README.md')).toEqual([
      { title: 'Install', pages: [{ title: 'Install', file: 'docs/guides/install.md' }] },
    ]);
  });
});
