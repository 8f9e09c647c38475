import { parseArgs } from 'node:util';
import { connectionOptions, guarded, helped } from './command.ts';
import { connect, UsageError } from './connect.ts';
import { count } from './deploy.ts';
import { writeFlagSet } from './files.ts';
import { readRemote } from './remote.ts';
import { processTerminal, type Terminal } from './terminal.ts';

const usage = `fanion export: writes the flags and segments of a project as files

  --dir DIR              target directory (default: the working directory)
  --format yaml|json     file format (default: yaml)`;

/** `fanion export [--dir flags-of-project] [--format yaml|json]`: writes the flags and segments of a project to files. */
export function exportCommand(argv: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  return guarded('export', terminal, async () => {
    if (helped(argv, usage, terminal)) return 0;
    const { values } = parseArgs({
      args: [...argv],
      options: {
        ...connectionOptions,
        dir: { type: 'string', default: '.' },
        format: { type: 'string', default: 'yaml' },
      },
    });
    const { dir, format } = values;
    if (format !== 'yaml' && format !== 'json') throw new UsageError('--format must be yaml or json');
    const connection = await connect(values, terminal.env);
    const { flags, segments } = await readRemote(connection);
    const set = {
      flags: [...flags.values()].map(({ document }) => document),
      segments: [...segments.values()].map(({ document }) => document),
    };
    await writeFlagSet(dir, set, format);
    terminal.out(`${count(set.flags.length, 'flag')} and ${count(set.segments.length, 'segment')} in ${dir}`);
    return 0;
  });
}
