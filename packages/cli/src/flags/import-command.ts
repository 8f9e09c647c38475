import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { connectionOptions, guarded, helped } from '../files/command.ts';
import { connect, UsageError } from '../files/connect.ts';
import { converting } from '../files/converting.ts';
import { InvalidFiles } from '../files/documents.ts';
import { carryOut, count } from '../files/part.ts';
import { Report, tellReport } from '../files/report.ts';
import { processTerminal, type Terminal } from '../files/terminal.ts';
import { planFlags } from './deploy.ts';
import { writeFlagSet } from './files.ts';
import { mapEnvironments, parseEnvironmentMap } from './import/environments.ts';
import { convertAll, converters } from './import/index.ts';
import { readEnvironments } from './remote.ts';

const usage = `fanion import launchdarkly|unleash|flagd|growthbook FILE…: imports the flags of another product

  --environment-map A=B  maps environment A of the file to B of the project; A= skips A. Repeat it, or use commas
  --dir DIR              write files for fanion apply instead; needs no server
  --dry-run              show what would change and write nothing
  -y, --yes              do not ask for confirmation
  --comment TEXT         comment for the history`;

/**
 * `fanion import launchdarkly|unleash|flagd|growthbook FILE…`: imports the flags of another product. Reports what has no
 * equivalent, shows what would change, asks, and writes. With `--dir`, writes files for `fanion apply` instead.
 */
export function importCommand(argv: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  return guarded('import', terminal, async () => {
    if (helped(argv, usage, terminal)) return 0;
    const { positionals, values } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        ...connectionOptions,
        'environment-map': { type: 'string', multiple: true, default: [] },
        dir: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
        yes: { type: 'boolean', short: 'y', default: false },
        comment: { type: 'string' },
      },
    });
    const [format = '', ...files] = positionals;
    const converter = Object.hasOwn(converters, format) ? converters[format] : undefined;
    if (converter === undefined)
      throw new UsageError(`name the product of the file: ${Object.keys(converters).join(', ')}`);
    if (files.length === 0) throw new UsageError('name at least one file to import');
    const map = parseEnvironmentMap(values['environment-map']);
    if (map === undefined)
      throw new UsageError('--environment-map must be theirs=ours, and each of ours may occur once');

    const report = new Report();
    const contents = await Promise.all(files.map(async (name) => ({ name, content: await contentOf(name) })));
    const converted = converting(`${files.join(', ')}: `, () => convertAll(converter, contents, report));
    if (values.dir !== undefined) {
      const flags = mapEnvironments(converted.flags, map, undefined, report);
      await writeFlagSet(values.dir, { ...converted, flags }, 'yaml');
      tellReport(report.notes, terminal.out);
      const { length } = converted.segments;
      terminal.out(
        `${count(flags.length, 'flag')} and ${count(length, 'segment')} in ${values.dir}: review them, then run fanion apply`,
      );
      return 0;
    }
    const connection = await connect(values, terminal.env);
    const flags = mapEnvironments(converted.flags, map, await readEnvironments(connection), report);
    tellReport(report.notes, terminal.out);
    const { 'dry-run': dryRun, yes, comment = `imported from ${format}` } = values;
    const part = await planFlags(connection, { ...converted, flags }, { comment, together: true });
    return carryOut([part], { dryRun, yes }, terminal);
  });
}

async function contentOf(file: string): Promise<unknown> {
  try {
    const text = await readFile(file, 'utf8');
    return /\.ya?ml$/.test(file) ? parse(text, { maxAliasCount: 100 }) : JSON.parse(text);
  } catch (error) {
    throw new InvalidFiles([`${file}: ${error instanceof Error ? error.message : String(error)}`]);
  }
}
