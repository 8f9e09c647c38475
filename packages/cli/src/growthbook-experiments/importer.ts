import { UsageError } from '../files/connect.ts';
import { converting } from '../files/converting.ts';
import { InvalidFiles } from '../files/documents.ts';
import { fieldsOf, textOf } from '../files/fields.ts';
import { experiments } from '../files/kinds/experiments.ts';
import { metrics } from '../files/kinds/metrics.ts';
import { count } from '../files/part.ts';
import { Report } from '../files/report.ts';
import { readYamlFile } from '../files/yaml-file.ts';
import type { Importer } from '../imports/importer.ts';
import { importedKinds } from '../imports/kinds.ts';
import { convertExperiments, type Source } from './convert.ts';

/** Metrics of GrowthBook become metrics, its experiments drafts. */
export const growthBookImporter: Importer = {
  options: ['sources', 'environment'],
  async read({ files, texts }) {
    if (files.length === 0) throw new UsageError('name at least one file');
    const contents = await Promise.all(files.map((file) => readYamlFile(file)));
    const sources = texts.sources === undefined ? new Map<string, Source>() : await readSources(texts.sources);
    const report = new Report();
    const converted = converting('', () => convertExperiments(contents, sources, texts.environment, report));
    return importedKinds({
      kinds: [
        { kind: metrics, documents: converted.metrics },
        { kind: experiments, documents: converted.experiments },
      ],
      notes: report.notes,
      summary: `${count(converted.metrics.length, 'metric')} and ${count(converted.experiments.length, 'experiment')}`,
    });
  },
};

/** @throws InvalidFiles */
async function readSources(file: string): Promise<ReadonlyMap<string, Source>> {
  const problems: string[] = [];
  const found = Object.entries(fieldsOf(await readYamlFile(file))).flatMap(([id, given]): [string, Source][] => {
    const fields = fieldsOf(given);
    const source = textOf(fields.source);
    const unit = textOf(fields.unit);
    if (source === undefined || unit === undefined) {
      problems.push(`${file}: ${id} needs source and unit, both as texts`);
      return [];
    }
    return [[id, { source, unit, columns: fieldsOf(fields.columns) }]];
  });
  if (problems.length > 0) throw new InvalidFiles(problems);
  return new Map(found);
}
