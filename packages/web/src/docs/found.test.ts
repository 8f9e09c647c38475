import { describe, expect, it } from 'vitest';
import { find, indexOf, type SearchText } from './found.ts';

const page = (path: string, title: string, listed: boolean, ...sections: readonly [string, string][]): SearchText => ({
  path,
  title,
  listed,
  sections: [
    { title, anchor: '', text: `About ${title}.` },
    ...sections.map(([heading, text]) => ({ title: heading, anchor: heading.toLowerCase(), text })),
  ],
});
const index = indexOf([
  page('decisions/1.html', 'A decision', false, ['Drain', 'Why a drain waits for the log of a server.']),
  page('configuration.html', 'Configuration', true, [
    'Data',
    `FANION_DATA_DIRECTORY is long. ${'Other words come before. '.repeat(10)}FANION_DRAIN_SECONDS is how long it drains.`,
  ]),
  page('guides/restore.html', 'Restore', true, ['Drain', 'Why a drain waits for the log of a server.']),
]);
const paths = (words: string) => find(index, words).map(({ path }) => path);

describe('the search of the documentation', () => {
  it('finds a setting by its whole name and shows the text around it', () => {
    const [first] = find(index, 'FANION_DRAIN_SECONDS');
    expect(first).toMatchObject({ path: 'configuration.html#data', heading: 'Data', page: 'Configuration' });
    expect(first?.text).toMatch(/^….*FANION_DRAIN_SECONDS is how long it drains\.$/);
  });
  it('finds a setting by a part of its name', () => {
    expect(paths('drain_seconds')).toContain('configuration.html#data');
  });
  it('finds words that are not finished or have a typing error', () => {
    expect(paths('rest')).toEqual(['guides/restore.html']);
    expect(paths('configuraton')).toEqual(['configuration.html']);
  });
  it('shows guides before notes for contributors', () => {
    expect(paths('log of a server')).toEqual(['guides/restore.html#drain', 'decisions/1.html#drain']);
  });
  it('finds only sections that have all the words', () => {
    expect(paths('drain zebra')).toEqual([]);
  });
});
