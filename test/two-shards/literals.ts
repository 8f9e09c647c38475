import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { isAboutServers } from './comparison.ts';

/** A piece of SQL in the server's source. */
export interface Literal {
  /** `path:line`. */
  readonly at: string;
  /** What stands between its `${…}`. */
  readonly fixed: readonly string[];
  /** Whether it has the tag of statements to the control plane. */
  readonly isTagged: boolean;
}

const FOLDERS = ['packages/server/src/features', 'packages/server/src/platform', 'packages/server/src/protocols'];
/** The schema and the control plane. */
const OTHERS = /\.test\.ts$|\/testing\/|\/migrations\/|\/(?:postgres|outbox|clickhouse)\//;
/** These ask a server about itself, by a name that is put in. */
const BY_PARAMETER = ['SELECT mutation_id AS mutation, max(parts_to_do)', 'SELECT partition_id AS id, sum(rows)'];
const IS_READ = /\bSELECT\s|\bFROM (?:spans|logs|metric_\w+|exemplars|exposures|flag_\w+|arrivals)\b/;

/**
 * The strings with reads of telemetry. Those of the control plane have a tag (`sql`); migrations, tests and what asks only about the
 * server itself (`system.…`) are left out.
 */
export function literalsOf(root: string): Literal[] {
  return sourcesOf(root)
    .flatMap(([path, source]) => literalsIn(path, source))
    .filter(({ fixed, isTagged }) => {
      const text = fixed.join('?');
      const isLeft = isAboutServers(text) || BY_PARAMETER.some((one) => text.includes(one));
      return IS_READ.test(text) && !isLeft && !isTagged;
    });
}

/** The files in which features and protocols ask for telemetry, with their text. */
export function sourcesOf(root: string): [path: string, source: string][] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
      .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
      .filter((path) => path.endsWith('.ts') && !OTHERS.test(path))
      .map((path): [string, string] => [path, readFileSync(root + path, 'utf8')]),
  );
}

/** The literals that are in no statement. */
export function missingIn(statements: readonly string[], literals: readonly Literal[]): Literal[] {
  return literals.filter((literal) => !statements.some((statement) => isIn(statement, literal)));
}

/** Whether the statement has the fixed texts of a literal in their order. */
export function isIn(statement: string, { fixed }: Literal): boolean {
  let at = 0;
  for (const text of fixed) {
    const found = statement.indexOf(text, at);
    if (found < 0) return false;
    at = found + text.length;
  }
  return true;
}

/** All strings of a file, also those within others. */
export function literalsIn(path: string, source: string): Literal[] {
  const found: Literal[] = [];
  const lineAt = (offset: number) => source.slice(0, offset).split('\n').length;

  /** Reads code up to `}` that closes it, or to the end; returns where it ends. */
  function readCode(from: number): number {
    let at = from;
    for (let depth = 0; at < source.length; at++) {
      const one = source[at];
      if (source.startsWith('//', at) && source[at - 1] !== ':') at = endOf('\n', at);
      else if (source.startsWith('/*', at)) at = endOf('*/', at) + 1;
      else if (one === "'" || one === '"') at = readPlain(at, one);
      else if (one === '`') at = readTemplate(at);
      else if (one === '{') depth++;
      else if (one === '}' && depth-- === 0) return at;
    }
    return at;
  }

  function endOf(text: string, from: number): number {
    const at = source.indexOf(text, from);
    return at < 0 ? source.length : at;
  }

  /** Reads a string from its quote; returns where its last quote is. */
  function readPlain(from: number, quote: string): number {
    let at = from + 1;
    for (; at < source.length && source[at] !== quote && source[at] !== '\n'; at++) if (source[at] === '\\') at++;
    found.push({ at: `${path}:${lineAt(from)}`, fixed: [unescaped(source.slice(from + 1, at))], isTagged: false });
    return at;
  }

  function readTemplate(from: number): number {
    const fixed: string[] = [];
    let begin = from + 1;
    let at = begin;
    for (; at < source.length && source[at] !== '`'; at++) {
      if (source[at] === '\\') at++;
      else if (source.startsWith('${', at)) {
        fixed.push(unescaped(source.slice(begin, at)));
        at = readCode(at + 2);
        begin = at + 1;
      }
    }
    fixed.push(unescaped(source.slice(begin, at)));
    const isTagged = /\bsql(?:<[^`]*>)?$/.test(source.slice(Math.max(0, from - 80), from));
    found.push({ at: `${path}:${lineAt(from)}`, fixed, isTagged });
    return at;
  }

  readCode(0);
  return found;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}
