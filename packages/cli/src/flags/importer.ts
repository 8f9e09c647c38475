import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { UsageError } from '../files/connect.ts';
import { converting } from '../files/converting.ts';
import { InvalidFiles } from '../files/documents.ts';
import { count } from '../files/part.ts';
import { Report } from '../files/report.ts';
import type { Importer } from '../imports/importer.ts';
import { planFlags } from './deploy.ts';
import { writeFlagSet } from './files.ts';
import { mapEnvironments, parseEnvironmentMap } from './import/environments.ts';
import { convertAll, converters } from './import/index.ts';
import { readEnvironments } from './remote.ts';

/** Flags and segments of other products. They are written in one transaction, or not at all. */
export const flagsImporter: Importer = {
  options: ['environment-map', 'comment'],
  async read({ product, files, texts, connect }) {
    const converter = converters[product];
    if (converter === undefined) throw new Error(`${product} has no flags`);
    if (files.length === 0) throw new UsageError('name at least one file to import');
    const map = parseEnvironmentMap(texts['environment-map']);
    if (map === undefined)
      throw new UsageError('--environment-map must be theirs=ours, and each of ours may occur once');
    const report = new Report();
    const contents = await Promise.all(files.map(async (name) => ({ name, content: await contentOf(name) })));
    const converted = converting(`${files.join(', ')}: `, () => convertAll(converter, contents, report));
    const known = texts.output === undefined ? await readEnvironments(await connect()) : undefined;
    const set = { ...converted, flags: mapEnvironments(converted.flags, map, known, report) };
    return {
      summary: `${count(set.flags.length, 'flag')} and ${count(set.segments.length, 'segment')}`,
      notes: report.notes,
      write: (directory) => writeFlagSet(directory, set, 'yaml'),
      plan: (connection) =>
        planFlags(connection, set, { comment: texts.comment ?? `imported from ${product}`, together: true }),
    };
  },
};

async function contentOf(file: string): Promise<unknown> {
  try {
    const text = await readFile(file, 'utf8');
    return /\.ya?ml$/.test(file) ? parse(text, { maxAliasCount: 100 }) : JSON.parse(text);
  } catch (error) {
    throw new InvalidFiles([`${file}: ${error instanceof Error ? error.message : String(error)}`]);
  }
}
