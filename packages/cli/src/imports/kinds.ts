import { join } from 'node:path';
import { type Source, writeDocuments } from '../files/documents.ts';
import { fileNameOf, type Kind } from '../files/kind.ts';
import type { Note } from '../files/report.ts';
import { planResources } from '../files/resources.ts';
import type { Imported } from './importer.ts';

/** What an import found, in the form of files of kinds beside flags. */
export interface ImportedKinds {
  readonly kinds: readonly { readonly kind: Kind; readonly documents: readonly ImportedDocument[] }[];
  readonly notes: readonly Note[];
  readonly summary: string;
  /** Secrets that the imported file contains, by the variables that the documents name. */
  readonly secrets?: Readonly<Record<string, string>>;
}

export interface ImportedDocument {
  /** The place in the imported file. */
  readonly where: string;
  readonly name: string;
  readonly content: object;
}

/** The import of kinds beside flags. */
export function importedKinds({ kinds, notes, summary, secrets = {} }: ImportedKinds): Imported {
  return {
    summary,
    notes,
    variables: Object.keys(secrets),
    async write(directory) {
      for (const { kind, documents } of kinds) {
        const contents = documents.map(({ name, content }) => ({ name: fileNameOf(name), content }));
        await writeDocuments(join(directory, kind.folder), contents, 'yaml');
      }
    },
    plan(connection, env) {
      const given = kinds.map(({ kind, documents }) => ({
        kind,
        sources: documents.map(({ where, content }): Source => ({ where, content })),
      }));
      return planResources(connection, given, { prune: false, updateSecrets: false, env: { ...secrets, ...env } });
    },
  };
}
