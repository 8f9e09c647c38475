import { join } from 'node:path';
import type { Call } from '../commands/command.ts';
import { planFlags } from '../flags/deploy.ts';
import { readFlagSet } from '../flags/files.ts';
import { connect, UsageError } from './connect.ts';
import { InvalidFiles, readSources } from './documents.ts';
import { carryOut, type Part } from './part.ts';
import { type KindSources, planResources } from './resources.ts';
import { type Selection, selectKinds } from './selected-kinds.ts';
import type { Terminal } from './terminal.ts';

/** `fanion apply`: brings a project and its workspace in line with the files; with `--prune` removes everything else. */
export async function applyFiles({ texts, flags: given }: Call, terminal: Terminal): Promise<number> {
  if (texts.file === undefined) throw new UsageError('missing option: name the directory with -f DIR');
  const { flags, resources } = await readDirectory(texts.file, selectKinds(texts.kinds));
  const connection = await connect(texts, terminal.env);
  const { comment = 'fanion apply' } = texts;
  const prune = given.has('prune');
  const updateSecrets = given.has('update-secrets');
  const parts: Part[] = [];
  if (flags !== undefined) parts.push(await planFlags(connection, flags, { comment, prune }));
  if (resources.length > 0)
    parts.push(await planResources(connection, resources, { prune, updateSecrets, env: terminal.env }));
  return carryOut(parts, { dryRun: given.has('dry-run'), yes: given.has('yes') }, terminal);
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
