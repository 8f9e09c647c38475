import { ApiError } from '@fanion/contract';
import type { z } from 'zod';
import type { ChannelNames } from './channel-names.ts';
import type { Connection } from './connect.ts';
import { differences, stable } from './differences.ts';
import { documentOf, problemAt, type Source } from './documents.ts';
import type { KindFolder } from './kind-folders.ts';

/** What kinds share while they plan and write. */
export interface Context {
  readonly connection: Connection;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Also sends secrets that the server has already. */
  readonly updateSecrets: boolean;
  readonly channels: ChannelNames;
  /** The names that the files of a folder define, or none: they exist when later kinds are written. */
  plannedNames(folder: string): ReadonlySet<string>;
}

/** A change of one thing on the server. */
export interface Step {
  readonly title: string;
  readonly lines: readonly string[];
  /** The file that wants it. */
  readonly where?: string;
  run(): Promise<void>;
}

export interface KindPlan {
  readonly steps: readonly Step[];
  /** Run after the steps of all kinds, in reverse order, so that nothing is removed while something uses it. */
  readonly removals: readonly Step[];
  readonly problems: readonly string[];
  /** How many are on the server and in no file; they stay as they are. */
  readonly unnamed: number;
}

/** A kind of things that are kept in files. `defineKind` makes the usual ones; add yours to `kinds/index.ts`. */
export interface Kind {
  /** The folder of its files, and its name in `--kinds`. */
  readonly folder: KindFolder;
  /** `alert rule`. */
  readonly noun: string;
  read(context: Context): Promise<{ readonly name: string; readonly content: object }[]>;
  plan(sources: readonly Source[], context: Context, options: { readonly prune: boolean }): Promise<KindPlan>;
}

/** A thing on the server, as a document. */
export interface Existing<Doc> {
  readonly id: string;
  readonly version: number;
  readonly document: Doc;
  /** The file that it comes from, of kinds where the server keeps it. */
  readonly source?: string | null;
  /** Only kept for its history: neither exported nor removed. */
  readonly isPast?: boolean;
}

interface KindSpec<Doc> {
  readonly folder: KindFolder;
  readonly noun: string;
  readonly schema: z.ZodType<Doc>;
  list(context: Context): Promise<Existing<Doc>[]>;
  /** The content of its file: without what the schema fills in. */
  fileOf(document: Doc): object;
  /** What names it; by default its name. */
  nameOf?(document: Doc): string;
  /** Where it belongs, which cannot change: documents of one name in two environments are two things. */
  placeOf?(document: Doc): unknown;
  /** What distinguishes documents of one name and place. A document that is alone with them may change it. */
  markOf?(document: Doc): unknown;
  /** Runs before anything is compared: names that are not there, secrets that are missing. */
  check?(
    document: Doc,
    existing: Existing<Doc> | undefined,
    context: Context,
  ): readonly Problem[] | Promise<readonly Problem[]>;
  /** As `check`, for what several documents do together. */
  checkAll?(documents: readonly Doc[]): readonly (Problem & { readonly of: Doc })[];
  /** The part of a document that the server has too; by default all of it. */
  comparedOf?(document: Doc): unknown;
  /** Further changes that the documents do not show. */
  also?(document: Doc, existing: Existing<Doc>, context: Context, source: Source): readonly string[];
  /** Puts documents that others name before those. */
  sort?(documents: Doc[]): Doc[];
  create(document: Doc, context: Context, source: Source): Promise<void>;
  update(existing: Existing<Doc>, document: Doc, context: Context, source: Source): Promise<void>;
  remove(existing: Existing<Doc>, context: Context): Promise<void>;
  /** The version that is current now. */
  versionOf(existing: Existing<Doc>, context: Context): Promise<number>;
}

export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A kind whose files each hold one document with a name. */
export function defineKind<Doc extends { readonly name: string }>(spec: KindSpec<Doc>): Kind {
  const nameOf = (document: Doc) => spec.nameOf?.(document) ?? document.name;
  const keyOf = (document: Doc) => stable([nameOf(document), spec.placeOf?.(document)]);
  const comparedOf = (document: Doc) => spec.comparedOf?.(document) ?? document;
  const markOf = (document: Doc) => `${keyOf(document)} ${stable(spec.markOf?.(document))}`;
  return {
    folder: spec.folder,
    noun: spec.noun,

    async read(context) {
      const documents = (await spec.list(context)).flatMap(({ document, isPast }) => (isPast ? [] : [document]));
      return documents
        .map((document) => ({ document, order: `${markOf(document)} ${stable(document)}` }))
        .sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0))
        .map(({ document }) => ({ name: fileNameOf(nameOf(document)), content: spec.fileOf(document) }));
    },

    async plan(sources, context, { prune }) {
      const problems: string[] = [];
      const read = sources.flatMap((source) => {
        const document = documentOf(source, spec.schema, problems);
        return document === undefined ? [] : [{ source, document }];
      });
      const documents = read.map(({ document }) => document);
      const firstOf = new Map<string, Source>();
      for (const { source, document } of read) {
        const mark = markOf(document);
        const { where } = firstOf.get(mark) ?? {};
        if (where === undefined) firstOf.set(mark, source);
        else problems.push(problemAt(source, ['name'], `${nameOf(document)} is already defined in ${where}`));
      }
      const { pairs, left: unpaired } = paired(documents, await spec.list(context), { keyOf, markOf });
      const left = unpaired.filter(({ isPast }) => !isPast);
      for (const { source, document } of read)
        for (const { path, message } of (await spec.check?.(document, pairs.get(document), context)) ?? [])
          problems.push(problemAt(source, path, message));
      const sourceOf = new Map(read.map(({ source, document }) => [document, source]));
      for (const { of, path, message } of spec.checkAll?.(documents) ?? []) {
        const source = sourceOf.get(of);
        if (source !== undefined) problems.push(problemAt(source, path, message));
      }
      const steps = (spec.sort?.(documents) ?? documents).flatMap((document): Step[] => {
        const before = pairs.get(document);
        const label = `${spec.noun} ${nameOf(document)}`;
        const source = sourceOf.get(document);
        if (source === undefined) throw new Error(`${label} was sorted, but not read`);
        const { where } = source;
        const create = () => spec.create(document, context, source);
        if (before === undefined) return [{ title: `+ ${label}`, lines: [], where, run: create }];
        const also = spec.also?.(document, before, context, source) ?? [];
        const lines = [...differences(comparedOf(before.document), comparedOf(document)), ...also];
        if (lines.length === 0) return [];
        return [{ title: `~ ${label}`, lines, where, run: () => spec.update(before, document, context, source) }];
      });
      if (!prune) return { steps, removals: [], problems, unnamed: left.length };
      const removals = left.map((gone) => removal(spec, gone, `${spec.noun} ${nameOf(gone.document)}`, context));
      return { steps, removals, problems, unnamed: 0 };
    },
  };
}

function removal<Doc>(spec: KindSpec<Doc>, gone: Existing<Doc>, label: string, context: Context): Step {
  return {
    title: `- ${label}`,
    lines: [],
    async run() {
      const now = await spec.versionOf(gone, context);
      if (now !== gone.version) throw changedMeanwhile();
      await spec.remove(gone, context);
    },
  };
}

/** A step that was not taken, for a reason that the user should read. */
export class NotDone extends Error {
  override readonly name = 'NotDone';
}

/** Somebody changed a thing after it was compared. */
export function changedMeanwhile(): NotDone {
  return new NotDone('somebody has changed it meanwhile: run the command again');
}

/**
 * Which thing on the server each document means: one of the same name, place and mark; else the only one that is left of
 * the name and place, if the document is the only one left of them too.
 */
function paired<Doc extends { readonly name: string }>(
  documents: readonly Doc[],
  existing: readonly Existing<Doc>[],
  { keyOf, markOf }: { keyOf(document: Doc): string; markOf(document: Doc): string },
): { pairs: ReadonlyMap<Doc, Existing<Doc>>; left: readonly Existing<Doc>[] } {
  const pairs = new Map<Doc, Existing<Doc>>();
  const free = new Set(existing);
  for (const document of documents) {
    const mark = markOf(document);
    for (const one of free) {
      if (markOf(one.document) !== mark) continue;
      pairs.set(document, one);
      free.delete(one);
      break;
    }
  }
  const open = groups(
    documents.filter((document) => !pairs.has(document)),
    keyOf,
  );
  for (const [key, [one, ...others]] of groups([...free], ({ document }) => keyOf(document))) {
    const [document, ...more] = open.get(key) ?? [];
    if (one === undefined || document === undefined || more.length + others.length > 0) continue;
    pairs.set(document, one);
    free.delete(one);
  }
  return { pairs, left: [...free] };
}

function groups<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const known = found.get(keyOf(item));
    if (known === undefined) found.set(keyOf(item), [item]);
    else known.push(item);
  }
  return found;
}

/** Letters, digits and dashes: a name that any file system takes. */
export function fileNameOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}._]+/gu, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 80);
  return slug === '' ? 'unnamed' : slug;
}

/** What failed, in one line. */
export function whyOf(error: unknown): string {
  if (error instanceof NotDone) return error.message;
  if (!(error instanceof ApiError)) throw error;
  const details = (error.details ?? []).map(({ path, message }) => `${path}: ${message}`);
  return [...new Set([error.message, ...details])].join('; ');
}
