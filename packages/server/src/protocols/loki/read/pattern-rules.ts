import { RE2JS } from 're2js';
import { LogqlError } from './logql/error.ts';

const longest = 10_000;

/** Instructions of a pattern times characters of a text that one search may look at: about 50 ms of work. */
const mostWork = 3_000_000;

/** Characters and instructions that all matches in one text may look at. */
const mostWorkOfAll = 10 * mostWork;

export interface Match {
  readonly start: number;
  readonly end: number;
  /** By its number or name; undefined: the pattern has no such group, or it matched nothing. */
  group(name: string): string | undefined;
}

/** Users write patterns: RE2 takes time that grows with the pattern and the text only. */
export interface Pattern {
  readonly names: readonly string[];
  /** The first match, or undefined. @throws LogqlError if the text is too long for the pattern */
  find(text: string): { group(name: string): string | null } | undefined;
  /** All matches from left to right. @throws LogqlError if they take too long */
  findAll(text: string): Match[];
}

/** @throws LogqlError */
export function compilePattern(pattern: string): Pattern {
  const compiled = compiledOf(pattern);
  const longestText = mostWork / compiled.programSize();
  const named = compiled.namedGroups();
  const checkLength = (text: string) => {
    if (text.length > longestText)
      throw new LogqlError(
        `a line of ${text.length} characters is too long for the regular expression ${JSON.stringify(pattern.slice(0, 100))}: filter such lines out, or move the expression before the first parser`,
      );
  };
  return {
    names: Object.keys(named),
    find(text) {
      checkLength(text);
      const matcher = compiled.matcher(text);
      return matcher.find() ? matcher : undefined;
    },
    findAll(text) {
      checkLength(text);
      const matcher = compiled.matcher(text);
      const found: Match[] = [];
      for (let work = 0; matcher.find(); ) {
        // Each search may look at the rest of the text.
        work += (text.length - matcher.start() + 1) * compiled.programSize();
        if (work > mostWorkOfAll)
          throw new LogqlError(
            `the regular expression ${JSON.stringify(pattern.slice(0, 100))} has too many matches in a line`,
          );
        const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, at) => matcher.group(at) ?? undefined);
        const group = (name: string) => groups[Object.hasOwn(named, name) ? (named[name] ?? -1) : Number(name)];
        found.push({ start: matcher.start(), end: matcher.end(), group });
      }
      return found;
    },
  };
}

function compiledOf(pattern: string): RE2JS {
  if (pattern.length > longest) throw new LogqlError(`a regular expression has more than ${longest} characters`);
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new LogqlError(`error parsing regexp: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Labels match whole. */
export function wholePattern(pattern: string): string {
  return `^(?s:${pattern})$`;
}

/** Matches a text literally. */
export function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** What a text must contain to match a template: its literal parts, in their order. */
export function partsPattern(template: string): string {
  return `(?s:${nodesOf(template)
    .flatMap((node) => ('literal' in node ? [literally(node.literal)] : []))
    .join('.*')})`;
}

type Node = { readonly literal: string } | { readonly capture: string };

/** The parts of a template such as `<ip> - <_>`. @throws LogqlError for two captures without text between them */
export function nodesOf(template: string): Node[] {
  const nodes = template
    .split(/(<[a-zA-Z_][a-zA-Z0-9_]*>)/)
    .flatMap((part, i): Node[] =>
      i % 2 === 1 ? [{ capture: part.slice(1, -1) }] : part === '' ? [] : [{ literal: part }],
    );
  for (const [i, node] of nodes.entries()) {
    const next = nodes[i + 1];
    if ('capture' in node && next !== undefined && 'capture' in next)
      throw new LogqlError(`found consecutive capture '<${node.capture}><${next.capture}>': invalid expression`);
  }
  return nodes;
}

/**
 * Whether a text matches a template such as `GET <_> 200`, as Loki's `Test` in `pkg/logql/log/pattern/pattern.go`: each literal
 * part is found at its first place after the one before, no capture is empty, and only a capture at the end takes the rest.
 *
 * @throws LogqlError
 */
export function templateTest(template: string): (text: string) => boolean {
  const nodes = nodesOf(template);
  for (const node of nodes)
    if ('capture' in node && node.capture !== '_')
      throw new LogqlError(`named captures are not allowed: found '<${node.capture}>'`);
  const last = nodes.at(-1);
  return (text) => {
    if (text === '' || last === undefined) return text === '' && last === undefined;
    let end = 0;
    for (const [i, node] of nodes.entries()) {
      if ('capture' in node) continue;
      const at = text.indexOf(node.literal, end);
      if (at < 0 || (i > 0 && at === end)) return false;
      end = at + node.literal.length;
    }
    return 'capture' in last === end < text.length;
  };
}
