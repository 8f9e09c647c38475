import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { planFlags } from '../flags/deploy.ts';
import { readFlagSet } from '../flags/files.ts';
import { guarded, helped } from './command.ts';
import { connect, UsageError } from './connect.ts';
import { connectionOptions } from './connection-options.ts';
import { InvalidFiles, readSources } from './documents.ts';
import { carryOut, type Part } from './part.ts';
import { type KindSources, planResources } from './resources.ts';
import { kindsUsage, type Selection, selectKinds } from './selected-kinds.ts';
import { processTerminal, type Terminal } from './terminal.ts';

const usage = `fanion apply -f DIR: brings a project and its workspace in line with the files of a directory

  -f, --file DIR         directory of the files, as fanion export writes it
${kindsUsage}
  --dry-run              show what would change and write nothing
  -y, --yes              do not ask for confirmation
  --prune                archive flags and delete everything else that has no file, of kinds that have a folder
  --update-secrets       also send the secrets of channels that the server has already, from their variables
  --comment TEXT         comment for the history of flags

Exit codes: 0 in line, 1 a problem or a failed change, 2 a mistake in the call`;

/**
 * `fanion apply -f DIR [--prune] [--dry-run] [--yes] [--comment …]`: brings a project and its workspace in line with the
 * files; with `--prune` removes everything else.
 */
export function applyCommand(argv: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  return guarded('apply', terminal, async () => {
    if (helped(argv, usage, terminal)) return 0;
    const { values } = parseArgs({
      args: [...argv],
      options: {
        ...connectionOptions,
        file: { type: 'string', short: 'f' },
        kinds: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
        yes: { type: 'boolean', short: 'y', default: false },
        prune: { type: 'boolean', default: false },
        'update-secrets': { type: 'boolean', default: false },
        comment: { type: 'string', default: 'fanion apply' },
      },
    });
    if (values.file === undefined) throw new UsageError('missing option: name the directory with -f DIR');
    const { 'dry-run': dryRun, yes, prune, comment, 'update-secrets': updateSecrets } = values;
    const { flags, resources } = await readDirectory(values.file, selectKinds(values.kinds));
    const connection = await connect(values, terminal.env);
    const parts: Part[] = [];
    if (flags !== undefined) parts.push(await planFlags(connection, flags, { comment, prune }));
    if (resources.length > 0)
      parts.push(await planResources(connection, resources, { prune, updateSecrets, env: terminal.env }));
    return carryOut(parts, { dryRun, yes }, terminal);
  });
}

/** @throws InvalidFiles with all errors at once */
async function readDirectory(directory: string, selection: Selection) {
  const problems: string[] = [];
  const resources: KindSources[] = [];
  for (const kind of selection.kinds) {
    const sources = await readSources(join(directory, kind.folder), problems);
    // A folder without files is not kept by Git, so a kind that is named counts as one without files.
    if (sources !== undefined) resources.push({ kind, sources });
    else if (selection.isExplicit) resources.push({ kind, sources: [] });
  }
  const flags = selection.flags ? await readFlags(directory, selection, problems) : undefined;
  const isEmpty = resources.every(({ sources }) => sources.length === 0);
  const noFlags = flags === undefined || flags.flags.length + flags.segments.length === 0;
  if (problems.length === 0 && isEmpty && noFlags && !selection.isExplicit) {
    const folders = ['flags/', 'segments/', ...selection.kinds.map(({ folder }) => `${folder}/`)].join(', ');
    problems.push(`${directory}: no .yaml or .json file in ${folders}`);
  }
  if (problems.length > 0) throw new InvalidFiles(problems);
  return { flags, resources };
}

async function readFlags(directory: string, { isExplicit }: Selection, problems: string[]) {
  try {
    const set = await readFlagSet(directory);
    return set ?? (isExplicit ? { flags: [], segments: [] } : undefined);
  } catch (error) {
    if (!(error instanceof InvalidFiles)) throw error;
    problems.push(...error.problems);
    return undefined;
  }
}
