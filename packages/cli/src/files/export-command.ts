import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ApiError } from '@fanion/contract';
import { writeFlagSet } from '../flags/files.ts';
import { readRemote } from '../flags/remote.ts';
import { readChannelNames } from './channel-names.ts';
import { guarded, helped } from './command.ts';
import { type Connection, connect, UsageError } from './connect.ts';
import { connectionOptions } from './connection-options.ts';
import { type Format, writeDocuments } from './documents.ts';
import type { Context } from './kind.ts';
import { count } from './part.ts';
import { kindsUsage, selectKinds } from './selected-kinds.ts';
import { processTerminal, type Terminal } from './terminal.ts';

const usage = `fanion export: writes a project and the alerting of its workspace as files

  --dir DIR              target directory (default: the working directory)
${kindsUsage}
  --format yaml|json     file format (default: yaml)

Exit codes: 0 written, 1 a failure, 2 a mistake in the call`;

/**
 * `fanion export [--dir DIR] [--kinds …] [--format yaml|json]`: writes flags, alert rules and everything else that can be
 * kept in files. Kinds that the token may not read are left out with a message, or an error if the user named them.
 */
export function exportCommand(argv: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  return guarded('export', terminal, async () => {
    if (helped(argv, usage, terminal)) return 0;
    const { values } = parseArgs({
      args: [...argv],
      options: {
        ...connectionOptions,
        dir: { type: 'string', default: '.' },
        kinds: { type: 'string' },
        format: { type: 'string', default: 'yaml' },
      },
    });
    const { dir, format } = values;
    if (format !== 'yaml' && format !== 'json') throw new UsageError('--format must be yaml or json');
    const selection = selectKinds(values.kinds);
    const connection = await connect(values, terminal.env);
    const written: string[] = [];
    const attempt = async (name: string, work: () => Promise<string>) => {
      try {
        written.push(await work());
      } catch (error) {
        if (selection.isExplicit || !(error instanceof ApiError) || error.status !== 403) throw error;
        terminal.err(`${name} are left out: ${error.message}`);
      }
    };
    if (selection.flags) await attempt('flags and segments', () => writeFlags(connection, dir, format));
    const channels = await readChannelNames(connection);
    const plannedNames = () => new Set<string>();
    const context: Context = { connection, env: terminal.env, updateSecrets: false, channels, plannedNames };
    for (const kind of selection.kinds)
      await attempt(`${kind.noun === 'SLO' ? 'SLO' : kind.noun}s`.replace(/ys$/, 'ies'), async () => {
        const documents = await kind.read(context);
        await writeDocuments(join(dir, kind.folder), documents, format);
        return count(documents.length, kind.noun);
      });
    terminal.out(`${inWords(written)} in ${dir}`);
    return 0;
  });
}

async function writeFlags(connection: Connection, dir: string, format: Format): Promise<string> {
  const { flags, segments } = await readRemote(connection);
  const set = {
    flags: [...flags.values()].map(({ document }) => document),
    segments: [...segments.values()].map(({ document }) => document),
  };
  await writeFlagSet(dir, set, format);
  return `${count(set.flags.length, 'flag')} and ${count(set.segments.length, 'segment')}`;
}

function inWords(parts: readonly string[]): string {
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
