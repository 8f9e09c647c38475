import { parseArgs } from 'node:util';
import { connectionOptions, guarded, helped } from './command.ts';
import { connect, UsageError } from './connect.ts';
import { deploy } from './deploy.ts';
import { readFlagSet } from './files.ts';
import { processTerminal, type Terminal } from './terminal.ts';

const usage = `fanion apply -f DIR: makes a project have what the files of a directory say

  -f, --file DIR         the directory
  --dry-run              shows what would change, and writes nothing
  -y, --yes              does not ask
  --prune                archives flags and deletes segments that no file names
  --comment TEXT         for the history`;

/**
 * `fanion apply -f DIR [--prune] [--dry-run] [--yes] [--comment …]`: makes a project have what the files say; with `--prune`
 * nothing but that.
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
    if (values.file === undefined) throw new UsageError('name the directory of the files: -f DIR');
    const desired = await readFlagSet(values.file);
    const connection = await connect(values, terminal.env);
    const { 'dry-run': dryRun, yes, prune, comment } = values;
    return deploy(connection, desired, { dryRun, yes, prune, comment }, terminal);
  });
}
