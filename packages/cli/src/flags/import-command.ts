import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { connectionOptions, guarded, helped } from './command.ts';
import { connect, UsageError } from './connect.ts';
import { count, deploy } from './deploy.ts';
import { InvalidFiles, writeFlagSet } from './files.ts';
import { type Note, NotThisFormat, Report } from './import/conversion.ts';
import { mapEnvironments, parseEnvironmentMap } from './import/environments.ts';
import { convertAll, converters } from './import/index.ts';
import { readEnvironments } from './remote.ts';
import { processTerminal, type Terminal } from './terminal.ts';

const usage = `fanion import launchdarkly|unleash|flagd|growthbook FILE…: brings the flags of another product along

  --environment-map A=B  environment A of the file is B of the project; A= leaves A out. Repeat it, or use commas
  --dir DIR              writes files for fanion apply, and asks no server
  --dry-run              shows what would change, and writes nothing
  -y, --yes              does not ask
  --comment TEXT         for the history`;

/**
 * `fanion import launchdarkly|unleash|flagd|growthbook FILE…`: the flags of another product. Says what has no equal,
 * shows what would change, asks, and writes; or writes files for `fanion apply` with `--dir`.
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
    if (converter === undefined) throw new UsageError(`say what the file is of: ${Object.keys(converters).join(', ')}`);
    if (files.length === 0) throw new UsageError('name the file');
    const map = parseEnvironmentMap(values['environment-map']);
    if (map === undefined) throw new UsageError('--environment-map is theirs=ours, and each of ours stands once');

    const report = new Report();
    const contents = await Promise.all(files.map(async (name) => ({ name, content: await contentOf(name) })));
    const converted = converting(files, () => convertAll(converter, contents, report));
    if (values.dir !== undefined) {
      const flags = mapEnvironments(converted.flags, map, undefined, report);
      await writeFlagSet(values.dir, { ...converted, flags }, 'yaml');
      tellReport(report.notes, terminal);
      const { length } = converted.segments;
      terminal.out(
        `${count(flags.length, 'flag')} and ${count(length, 'segment')} in ${values.dir}: see, then fanion apply`,
      );
      return 0;
    }
    const connection = await connect(values, terminal.env);
    const flags = mapEnvironments(converted.flags, map, await readEnvironments(connection), report);
    tellReport(report.notes, terminal);
    const { 'dry-run': dryRun, yes, comment = `imported from ${format}` } = values;
    return deploy(connection, { ...converted, flags }, { dryRun, yes, comment, together: true }, terminal);
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

function converting<T>(files: readonly string[], work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof NotThisFormat) throw new InvalidFiles([`${files.join(', ')}: ${error.message}`]);
    throw error;
  }
}

/** First what is gone, then what is different; nothing is dropped without a line. */
function tellReport(notes: readonly Note[], terminal: Terminal): void {
  const lost = notes.filter(({ level }) => level === 'lost');
  const changed = notes.filter(({ level }) => level === 'changed');
  if (lost.length > 0) terminal.out(`Without an equal (${lost.length}):`);
  for (const { where, what } of lost) terminal.out(`  - ${where}: ${what}`);
  if (changed.length > 0) terminal.out(`Not quite the same (${changed.length}):`);
  for (const { where, what } of changed) terminal.out(`  ~ ${where}: ${what}`);
  if (notes.length === 0) terminal.out('everything has an equal');
}
