import { join } from 'node:path';
import { ApiError } from '@fanion/contract';
import type { Call } from '../commands/command.ts';
import { writeFlagSet } from '../flags/files.ts';
import { readRemote } from '../flags/remote.ts';
import { readChannelNames } from './channel-names.ts';
import { type Connection, connect, UsageError } from './connect.ts';
import { type Format, writeDocuments } from './documents.ts';
import type { Context } from './kind.ts';
import { count } from './part.ts';
import { selectKinds } from './selected-kinds.ts';
import type { Terminal } from './terminal.ts';

/**
 * `fanion export`: writes flags, alert rules and everything else that can be kept in files. Kinds that the token may not
 * read are left out with a message, or an error if the user named them.
 */
export async function exportFiles({ texts }: Call, terminal: Terminal): Promise<number> {
  const { dir = '.', format = 'yaml' } = texts;
  if (format !== 'yaml' && format !== 'json') throw new UsageError('--format must be yaml or json');
  const selection = selectKinds(texts.kinds);
  const connection = await connect(texts, terminal.env);
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
