import { join } from 'node:path';
import type { z } from 'zod';
import { documentOf, type Format, InvalidFiles, readSources, writeDocuments } from '../files/documents.ts';
import { FlagDocument, type FlagSet, SegmentDocument } from './document.ts';

/**
 * Reads the `.yaml`, `.yml` and `.json` files in `flags/` and `segments/` of a directory. Undefined without either folder.
 *
 * @throws InvalidFiles with all errors at once
 */
export async function readFlagSet(directory: string): Promise<FlagSet | undefined> {
  const problems: string[] = [];
  const flags = await readKeyed(join(directory, 'flags'), FlagDocument, problems);
  const segments = await readKeyed(join(directory, 'segments'), SegmentDocument, problems);
  if (problems.length > 0) throw new InvalidFiles(problems);
  if (flags === undefined && segments === undefined) return undefined;
  return { flags: flags ?? [], segments: segments ?? [] };
}

async function readKeyed<T extends { readonly key: string }>(
  folder: string,
  schema: z.ZodType<T>,
  problems: string[],
): Promise<T[] | undefined> {
  const sources = await readSources(folder, problems);
  if (sources === undefined) return undefined;
  const documents = new Map<string, { readonly file: string; readonly document: T }>();
  for (const source of sources) {
    const document = documentOf(source, schema, problems);
    if (document === undefined) continue;
    const other = documents.get(document.key);
    if (other === undefined) documents.set(document.key, { file: source.where, document });
    else problems.push(`${source.where}: ${document.key} is already defined in ${other.file}`);
  }
  return [...documents.values()].map(({ document }) => document);
}

/** Writes one file per flag and segment, replacing files of the same name. */
export async function writeFlagSet(directory: string, set: FlagSet, format: Format): Promise<void> {
  for (const [folder, documents] of [
    ['flags', set.flags],
    ['segments', set.segments],
  ] as const) {
    const files = documents.map((document) => ({ name: document.key, content: short(document) }));
    await writeDocuments(join(directory, folder), files, format);
  }
}

/** Fields that the schema fills in, and that mean nothing when they are empty or false. */
const OPTIONAL = new Set([
  'description',
  'tags',
  'prerequisites',
  'targets',
  'rules',
  'included',
  'excluded',
  'negate',
]);

function short(document: object): object {
  return Object.fromEntries(Object.entries(document).flatMap(([key, field]) => withoutDefault(key, field, false)));
}

function withoutDefault(key: string, field: unknown, isValue: boolean): [string, unknown][] {
  if (field === undefined || (!isValue && OPTIONAL.has(key) && isEmpty(field))) return [];
  return [[key, withoutDefaults(field, isValue || key === 'value')]];
}

function withoutDefaults(value: unknown, isValue: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutDefaults(item, isValue));
  if (typeof value !== 'object' || value === null) return value;
  // A variant's `value` belongs to the user and does not change.
  return Object.fromEntries(Object.entries(value).flatMap(([key, field]) => withoutDefault(key, field, isValue)));
}

function isEmpty(field: unknown): boolean {
  return field === '' || field === false || (Array.isArray(field) && field.length === 0);
}
