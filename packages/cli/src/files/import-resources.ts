import { join } from 'node:path';
import type { Connection } from './connect.ts';
import { type Source, writeDocuments } from './documents.ts';
import { fileNameOf, type Kind } from './kind.ts';
import { carryOut } from './part.ts';
import { type Note, tellReport } from './report.ts';
import { planResources } from './resources.ts';
import type { Terminal } from './terminal.ts';

/** What an import found, in the form of files. */
export interface Imported {
  readonly kinds: readonly { readonly kind: Kind; readonly documents: readonly ImportedDocument[] }[];
  readonly notes: readonly Note[];
  /** `3 channels, 12 routing policies`. */
  readonly summary: string;
  /** Secrets that the imported file contains, by the variables that the documents name. They are never written to files. */
  readonly secrets?: Readonly<Record<string, string>>;
}

export interface ImportedDocument {
  /** The place in the imported file. */
  readonly where: string;
  readonly name: string;
  readonly content: object;
}

export interface ImportOptions {
  readonly output: string | undefined;
  readonly dryRun: boolean;
  readonly yes: boolean;
  /** Writes nothing if something has no equivalent. */
  readonly strict: boolean;
}

/** Options of the imports that write kinds beside flags. */
export const importOptions = {
  output: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  yes: { type: 'boolean', short: 'y', default: false },
  strict: { type: 'boolean', default: false },
} as const;

export const importUsage = `  --output DIR           write files for fanion apply instead; needs no server
  --strict               write nothing if something has no equivalent, with the exit code 3
  --dry-run              show what would change and write nothing
  -y, --yes              do not ask for confirmation`;

export const importExitCodes =
  'Exit codes: 0 imported, also with losses in the report; 1 a problem or a failed change; 2 a mistake in the call; 3 losses with --strict';

/**
 * Prints the report, then writes files, or shows the difference to the server, asks and writes.
 *
 * @param connect called only if a server is needed
 * @returns the exit code
 */
export async function finishImport(
  imported: Imported,
  { output, dryRun, yes, strict }: ImportOptions,
  connect: () => Promise<Connection>,
  terminal: Terminal,
): Promise<number> {
  const { kinds, notes, summary, secrets = {} } = imported;
  terminal.out(`Kept: ${summary}`);
  tellReport(notes, terminal.out);
  if (strict && notes.some(({ level }) => level === 'lost')) {
    terminal.err('nothing was written: --strict allows no losses');
    return 3;
  }
  if (output !== undefined) {
    const files = kinds.map(({ kind, documents }) => ({
      folder: join(output, kind.folder),
      contents: documents.map(({ name, content }) => ({ name: fileNameOf(name), content })),
    }));
    if (!dryRun) for (const { folder, contents } of files) await writeDocuments(folder, contents, 'yaml');
    for (const variable of Object.keys(secrets))
      terminal.out(`set ${variable} before you apply: files hold no secrets`);
    terminal.out(
      dryRun ? 'nothing was written, this was a dry run' : `files in ${output}: review them, then run fanion apply`,
    );
    return 0;
  }
  const given = kinds.map(({ kind, documents }) => ({
    kind,
    sources: documents.map(({ where, content }): Source => ({ where, content })),
  }));
  const env = { ...secrets, ...terminal.env };
  const part = await planResources(await connect(), given, { prune: false, updateSecrets: false, env });
  return carryOut([part], { dryRun, yes }, terminal);
}
