import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FlagDocument, SegmentDocument } from './document.ts';
import { readFlagSet, writeFlagSet } from './files.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fanion-files-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const flag = FlagDocument.parse({
  key: 'Layout',
  name: 'Layout: 2 columns',
  description: 'two\nlines # and a hash',
  kind: 'json',
  // These look like defaults of a document, but are values of the user.
  variants: [{ key: 'a', value: { tags: [], description: '', negate: false, nested: { rules: [] } } }],
  tags: ['true', '1.0'],
  environments: {
    production: {
      enabled: true,
      fallthrough: { variant: 'a' },
      rules: [{ clauses: [{ attribute: 'v', op: 'in', values: ['yes', '1', 1, true] }], variant: 'a' }],
    },
  },
});
const segment = SegmentDocument.parse({ key: 's', included: ['0123', 'null', '~'] });

describe('files', () => {
  it.each(['yaml', 'json'] as const)('round-trip any content as %s', async (format) => {
    await writeFlagSet(directory, { flags: [flag], segments: [segment] }, format);
    expect(await readFlagSet(directory)).toEqual({ flags: [flag], segments: [segment] });
  });

  it('are short, and the same for the same content', async () => {
    await writeFlagSet(directory, { flags: [], segments: [segment] }, 'yaml');
    expect(await readFile(join(directory, 'segments/s.yaml'), 'utf8')).toBe(
      'key: s\nincluded:\n  - "0123"\n  - "null"\n  - "~"\n',
    );
  });

  it('distinguish keys that differ only in case, even on case-insensitive file systems', async () => {
    const flags = [flag, { ...flag, key: 'layout' }, { ...flag, key: 'LAYOUT' }];
    await writeFlagSet(directory, { flags, segments: [] }, 'yaml');
    expect((await readdir(join(directory, 'flags'))).sort()).toEqual(['LAYOUT~3.yaml', 'Layout.yaml', 'layout~2.yaml']);
    expect((await readFlagSet(directory))?.flags.map(({ key }) => key).sort()).toEqual(['LAYOUT', 'Layout', 'layout']);
  });

  it.each([
    ['no YAML', 'key: [', /flags\/a\.yaml: /],
    ['an unknown field', 'key: a\nkind: boolean\nvariants: [{key: t, value: true}]\nenabeld: true\n', /enabeld/],
    ['a bad key', 'key: "a b"\nkind: boolean\nvariants: [{key: t, value: true}]\n', /key: a flag key is/],
    ['aliases, of which a few lines are gigabytes', 'a: &a [1]\nb: *a\n', /alias/i],
  ])('with %s are named', async (_, content, message) => {
    await mkdir(join(directory, 'flags'));
    await writeFile(join(directory, 'flags/a.yaml'), content);
    await expect(readFlagSet(directory)).rejects.toThrow(message);
  });

  it('are rejected by name when two define the same flag', async () => {
    await writeFlagSet(directory, { flags: [flag], segments: [] }, 'yaml');
    await writeFlagSet(directory, { flags: [flag], segments: [] }, 'json');
    await expect(readFlagSet(directory)).rejects.toThrow(/Layout is already defined in .*Layout\.json/);
  });
});
