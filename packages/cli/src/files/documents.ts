import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { isNode, LineCounter, parseDocument, stringify } from 'yaml';
import type { z } from 'zod';

export type Format = 'yaml' | 'json';

/** Files that do not hold valid documents, with the places of the errors. */
export class InvalidFiles extends Error {
  override readonly name = 'InvalidFiles';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

type Path = readonly (string | number)[];

/** Content that shall become a document, and where it is from. */
export interface Source {
  /** A file, or a place in an imported file. */
  readonly where: string;
  readonly content: unknown;
  /** The line of a part of the content, from 1. */
  line?(path: Path): number | undefined;
}

/** Reads the `.yaml`, `.yml` and `.json` files of a folder, which need not exist. Undefined without the folder. */
export async function readSources(folder: string, problems: string[]): Promise<Source[] | undefined> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (names === undefined) return undefined;
  const sources: Source[] = [];
  for (const name of names.sort()) {
    if (!['.yaml', '.yml', '.json'].includes(extname(name))) continue;
    const file = join(folder, name);
    const source = parseSource(file, await readFile(file, 'utf8'), problems);
    if (source !== undefined) sources.push(source);
  }
  return sources;
}

function parseSource(file: string, text: string, problems: string[]): Source | undefined {
  try {
    if (extname(file) === '.json') {
      const content: unknown = JSON.parse(text);
      return { where: file, content, line: (path) => linesOf(text)?.(path) };
    }
    const lines = new LineCounter();
    const document = parseDocument(text, { lineCounter: lines });
    const [error] = document.errors;
    if (error !== undefined) throw error;
    // No aliases: a file of a few lines could expand to gigabytes.
    const content: unknown = document.toJS({ maxAliasCount: 0 });
    return { where: file, content, line: (path) => lineIn(document, lines, path) };
  } catch (error) {
    problems.push(`${file}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** JSON is YAML too, as far as the places of its parts go. */
function linesOf(text: string): ((path: Path) => number | undefined) | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  return document.errors.length > 0 ? undefined : (path) => lineIn(document, lines, path);
}

function lineIn(document: ReturnType<typeof parseDocument>, lines: LineCounter, path: Path): number | undefined {
  // What is missing is reported where its parent is.
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return undefined;
}

/** The document of a source; undefined where it is not valid, after adding the problems with their lines. */
export function documentOf<T>(source: Source, schema: z.ZodType<T>, problems: string[]): T | undefined {
  const parsed = schema.safeParse(source.content);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues) {
    const plain = path.map((part) => (typeof part === 'symbol' ? String(part) : part));
    problems.push(problemAt(source, plain, message));
  }
  return undefined;
}

/** `alert-rules/checkout.yaml:7: condition.for: …` */
export function problemAt(source: Source, path: Path, message: string): string {
  const line = source.line?.(path);
  const place = line === undefined ? source.where : `${source.where}:${line}`;
  return path.length === 0 ? `${place}: ${message}` : `${place}: ${path.join('.')}: ${message}`;
}

/** Writes one file per document, replacing files of the same name. */
export async function writeDocuments(
  folder: string,
  documents: readonly { readonly name: string; readonly content: object }[],
  format: Format,
): Promise<void> {
  if (documents.length > 0) await mkdir(folder, { recursive: true });
  const taken = new Set<string>();
  for (const { name, content } of documents) {
    // Some file systems ignore case; keys do not.
    let file = name;
    for (let i = 2; taken.has(file.toLowerCase()); i++) file = `${name}~${i}`;
    taken.add(file.toLowerCase());
    await writeFile(join(folder, `${file}.${format}`), textOf(content, format));
  }
}

/** Content as text: the same for the same content. */
export function textOf(content: object, format: Format): string {
  return format === 'json'
    ? `${JSON.stringify(content, null, 2)}\n`
    : stringify(content, { lineWidth: 0, aliasDuplicateObjects: false });
}
