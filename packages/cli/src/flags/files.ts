import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { z } from 'zod';
import { FlagDocument, type FlagSet, SegmentDocument } from './document.ts';

export type Format = 'yaml' | 'json';

/** Files that do not hold a valid flag or segment, with the places of the errors. */
export class InvalidFiles extends Error {
  override readonly name = 'InvalidFiles';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/**
 * Reads the `.yaml`, `.yml` and `.json` files in `flags/` and `segments/` of a directory.
 *
 * @throws InvalidFiles with all errors at once
 */
export async function readFlagSet(directory: string): Promise<FlagSet> {
  const problems: string[] = [];
  const flags = await readDocuments(join(directory, 'flags'), FlagDocument, problems);
  const segments = await readDocuments(join(directory, 'segments'), SegmentDocument, problems);
  if (flags.length + segments.length === 0 && problems.length === 0) {
    problems.push(`${directory}: no .yaml or .json file in flags/ or segments/`);
  }
  if (problems.length > 0) throw new InvalidFiles(problems);
  return { flags, segments };
}

async function readDocuments<T extends { readonly key: string }>(
  folder: string,
  schema: z.ZodType<T>,
  problems: string[],
): Promise<T[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const documents = new Map<string, { readonly file: string; readonly document: T }>();
  for (const name of names.sort()) {
    if (!['.yaml', '.yml', '.json'].includes(extname(name))) continue;
    const file = join(folder, name);
    const document = parseDocument(file, await readFile(file, 'utf8'), schema, problems);
    if (document === undefined) continue;
    const other = documents.get(document.key);
    if (other === undefined) documents.set(document.key, { file, document });
    else problems.push(`${file}: ${document.key} is already defined in ${other.file}`);
  }
  return [...documents.values()].map(({ document }) => document);
}

function parseDocument<T>(file: string, text: string, schema: z.ZodType<T>, problems: string[]): T | undefined {
  let content: unknown;
  try {
    // No aliases: a file of a few lines could expand to gigabytes.
    content = extname(file) === '.json' ? JSON.parse(text) : parse(text, { maxAliasCount: 0 });
  } catch (error) {
    problems.push(`${file}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  problems.push(...parsed.error.issues.map(({ path, message }) => `${file}: ${path.join('.')}: ${message}`));
  return undefined;
}

/** Writes one file per flag and segment, replacing files of the same name; returns the number of files. */
export async function writeFlagSet(directory: string, set: FlagSet, format: Format): Promise<number> {
  await writeDocuments(join(directory, 'flags'), set.flags, format);
  await writeDocuments(join(directory, 'segments'), set.segments, format);
  return set.flags.length + set.segments.length;
}

async function writeDocuments(
  folder: string,
  documents: readonly { readonly key: string }[],
  format: Format,
): Promise<void> {
  if (documents.length > 0) await mkdir(folder, { recursive: true });
  const taken = new Set<string>();
  for (const document of documents) {
    // Some file systems ignore case; keys do not.
    let name = document.key;
    for (let i = 2; taken.has(name.toLowerCase()); i++) name = `${document.key}~${i}`;
    taken.add(name.toLowerCase());
    await writeFile(join(folder, `${name}.${format}`), textOf(document, format));
  }
}

/** A document as text: the same for the same content, without default values. */
export function textOf(document: object, format: Format): string {
  const content = withoutDefaults(document);
  return format === 'json' ? `${JSON.stringify(content, null, 2)}\n` : stringify(content, { lineWidth: 0 });
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

function withoutDefaults(value: unknown, isValue = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutDefaults(item, isValue));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key, field]) => field !== undefined && (isValue || !(OPTIONAL.has(key) && isEmpty(field))),
  );
  // A variant's `value` belongs to the user and does not change.
  return Object.fromEntries(entries.map(([key, field]) => [key, withoutDefaults(field, isValue || key === 'value')]));
}

function isEmpty(field: unknown): boolean {
  return field === '' || field === false || (Array.isArray(field) && field.length === 0);
}
