import { parseArgs } from 'node:util';
import { connectionOptions, guarded, helped } from './command.ts';
import { connect, UsageError } from './connect.ts';
import { deploy } from './deploy.ts';
import { readFlagSet } from './files.ts';
import { processTerminal, type Terminal } from './terminal.ts';

const usage = `fanion apply -f DIR: brings a project in line with the files of a directory

  -f, --file DIR         directory of the files
  --dry-run              show what would change and write nothing
  -y, --yes              do not ask for confirmation
  --prune                archive flags and delete segments that have no file
  --comment TEXT         comment for the history`;

/**
 * `fanion apply -f DIR [--prune] [--dry-run] [--yes] [--comment …]`: brings a project in line with the files; with `--prune`
 * removes everything else.
 */
export function applyCommand(argv: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  return guarded('apply', terminal, async () => {
    if (helped(argv, usage, terminal)) return 0;
    const { values } = parseArgs({
      args: [...argv],
      options: {
        ...connectionOptions,
        file: { type: 'string', short: 'f' },
        'dry-run': { type: 'boolean', default: false },
        yes: { type: 'boolean', short: 'y', default: false },
        prune: { type: 'boolean', default: false },
        comment: { type: 'string', default: 'fanion apply' },
      },
    });
    if (values.file === undefined) throw new UsageError('missing option: name the directory with -f DIR');
    const desired = await readFlagSet(values.file);
    const connection = await connect(values, terminal.env);
    const { 'dry-run': dryRun, yes, prune, comment } = values;
    return deploy(connection, desired, { dryRun, yes, prune, comment }, terminal);
  });
}
