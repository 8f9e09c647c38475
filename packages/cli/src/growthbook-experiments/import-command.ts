import { parseArgs } from 'node:util';
import { connectionOptions, guarded, helped } from '../files/command.ts';
import { connect, UsageError } from '../files/connect.ts';
import { converting } from '../files/converting.ts';
import { InvalidFiles } from '../files/documents.ts';
import { fieldsOf, textOf } from '../files/fields.ts';
import { finishImport, type Imported, importExitCodes, importOptions, importUsage } from '../files/import-resources.ts';
import { experiments } from '../files/kinds/experiments.ts';
import { metrics } from '../files/kinds/metrics.ts';
import { count } from '../files/part.ts';
import { Report } from '../files/report.ts';
import { processTerminal, type Terminal } from '../files/terminal.ts';
import { readYamlFile } from '../files/yaml-file.ts';
import { convertExperiments, type Source } from './convert.ts';

const usage = `fanion import growthbook-experiments FILE…: imports metrics and experiments of GrowthBook, from lists of its REST API

  --sources FILE         YAML: for each fact table or metric, by its id, source (OQL), unit, and OQL for its columns
  --environment KEY      of the experiments; without it, the first one whose features serve them
${importUsage}

${importExitCodes}`;

/** `fanion import growthbook-experiments FILE…`: metrics become metrics, experiments become drafts. */
export function importGrowthBookExperiments(
  argv: readonly string[],
  terminal: Terminal = processTerminal(),
): Promise<number> {
  return guarded('import', terminal, async () => {
    if (helped(argv, usage, terminal)) return 0;
    const { positionals, values } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        ...connectionOptions,
        ...importOptions,
        sources: { type: 'string' },
        environment: { type: 'string' },
      },
    });
    if (positionals.length === 0) throw new UsageError('name at least one file');
    const contents = await Promise.all(positionals.map((file) => readYamlFile(file)));
    const sources = values.sources === undefined ? new Map<string, Source>() : await readSources(values.sources);
    const report = new Report();
    const converted = converting('', () => convertExperiments(contents, sources, values.environment, report));
    const imported: Imported = {
      kinds: [
        { kind: metrics, documents: converted.metrics },
        { kind: experiments, documents: converted.experiments },
      ],
      notes: report.notes,
      summary: `${count(converted.metrics.length, 'metric')} and ${count(converted.experiments.length, 'experiment')}`,
    };
    const { output, 'dry-run': dryRun, yes, strict } = values;
    return finishImport(imported, { output, dryRun, yes, strict }, () => connect(values, terminal.env), terminal);
  });
}

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
