/**
 * Log templates by the Drain algorithm: P. He, J. Zhu, Z. Zheng, M. R. Lyu, "Drain: An Online Log Parsing Approach with
 * Fixed Depth Tree", ICWS 2017. What goes in are not records but masked shapes with their counts, so the work depends on
 * how many different statements log, not on how much they log, and counts stay exact.
 *
 * A shape goes down a tree: first by its number of words, then by its first words; the groups of a leaf are compared word by
 * word. It joins the most similar one if at least `similarity` of its words are the same, and words that differ become
 * `*`; otherwise it begins a group. Shapes come most frequent first (then by text), so the outcome does not depend on
 * the order in which a store gives them.
 *
 * Grouping accuracy on the sixteen public sets of 2,000 lines of LogHub (a line counts where its group is exactly the set's
 * own), with these defaults for all of them: 0.848 on average; Drain with masks and thresholds tuned for each set is published with
 * 0.865 (J. Zhu et al., "Tools and Benchmarks for Automated Log Parsing", ICSE-SEIP 2019). 0.5: 0.768, 0.8: 0.829.
 */
export interface DrainOptions {
  /** First words that lead down the tree, beside their number; one is what Drain calls a depth of four. @default 1 */
  readonly depth?: number;
  /** Share of the words that are the same, 0 to 1. @default 0.7, as numbers and ids are masked before */
  readonly similarity?: number;
  /** Branches of a node; further words share the branch `*`. @default 100 */
  readonly maxChildren?: number;
}

export const wildcard = '*';

interface Group {
  readonly words: string[];
  readonly members: number[];
}
interface Node {
  readonly children: Map<string, Node>;
  readonly groups: Group[];
}

export interface Template {
  readonly template: string;
  /** Places of its shapes in the input. */
  readonly members: readonly number[];
}

/** Groups masked texts; every one is in exactly one template. @param texts most frequent first */
export function groupShapes(texts: readonly string[], options: DrainOptions = {}): Template[] {
  const { depth = 1, similarity = 0.7, maxChildren = 100 } = options;
  const roots = new Map<number, Node>();
  const all: Group[] = [];
  for (const [place, text] of texts.entries()) {
    const words = wordsOf(text);
    let node = branch(roots, words.length);
    for (const word of words.slice(0, depth)) node = childOf(node, isVariable(word) ? wildcard : word, maxChildren);
    const group = mostSimilar(node.groups, words, similarity);
    if (group === undefined) {
      const fresh = { words, members: [place] };
      node.groups.push(fresh);
      all.push(fresh);
    } else {
      for (const [at, word] of words.entries()) if (group.words[at] !== word) group.words[at] = wildcard;
      group.members.push(place);
    }
  }
  return all.map(({ words, members }) => ({ template: words.join(' '), members }));
}

/** Words as people see them; very long bodies are told apart by their beginning. */
function wordsOf(text: string): string[] {
  const words = text.trim().split(/\s+/);
  return words.length <= 200 ? words : [...words.slice(0, 199), wildcard];
}

/** A masked word, as `*` or `user=*`: it says nothing about which statement wrote it when it leads the way. */
function isVariable(word: string): boolean {
  return word.includes(wildcard);
}

function childOf(node: Node, word: string, maxChildren: number): Node {
  const known = node.children.get(word);
  if (known !== undefined) return known;
  const key = node.children.size < maxChildren ? word : wildcard;
  return branch(node.children, key);
}

function branch<K>(nodes: Map<K, Node>, key: K): Node {
  const known = nodes.get(key);
  if (known !== undefined) return known;
  const fresh: Node = { children: new Map(), groups: [] };
  nodes.set(key, fresh);
  return fresh;
}

/** Drain's simSeq: the share of equal words. Among equally similar groups the more general one wins. */
function mostSimilar(groups: readonly Group[], words: readonly string[], similarity: number): Group | undefined {
  let best: Group | undefined;
  let bestShare = -1;
  let bestWildcards = -1;
  for (const group of groups) {
    let same = 0;
    let wildcards = 0;
    for (const [at, word] of group.words.entries()) {
      if (word === wildcard) wildcards++;
      if (word === words[at]) same++;
    }
    const share = same / Math.max(1, words.length);
    if (share > bestShare || (share === bestShare && wildcards > bestWildcards)) {
      best = group;
      bestShare = share;
      bestWildcards = wildcards;
    }
  }
  return bestShare >= similarity ? best : undefined;
}

/** What a window has of one masked shape. Times in nanoseconds since the epoch. */
export interface Shape {
  readonly hash: string;
  /** The body with numbers and ids masked. */
  readonly masked: string;
  readonly count: number;
  readonly examples: readonly string[];
  readonly firstNs: bigint;
  readonly lastNs: bigint;
  readonly trend: readonly number[];
  /** Counts by name. */
  readonly severities: Readonly<Record<string, number>>;
  readonly services: Readonly<Record<string, number>>;
  /** Whether it occurred before the window, too. */
  readonly isKnown: boolean;
}

export interface Pattern {
  readonly template: string;
  readonly count: number;
  readonly severities: Readonly<Record<string, number>>;
  readonly services: readonly string[];
  readonly firstNs: bigint;
  readonly lastNs: bigint;
  readonly isNew: boolean;
  readonly trend: readonly number[];
  readonly examples: readonly string[];
  readonly shapes: readonly string[];
}

/** Patterns of shapes, the most frequent first; their counts sum to those of the shapes. */
export function findPatterns(shapes: readonly Shape[], options: DrainOptions = {}): Pattern[] {
  const sorted = [...shapes].sort((a, b) => b.count - a.count || compare(a.masked, b.masked));
  const templates = groupShapes(
    sorted.map(({ masked }) => masked),
    options,
  );
  return templates
    .map(({ template, members }) => {
      const own = members.flatMap((place) => sorted[place] ?? []);
      return patternOf(template, own);
    })
    .sort((a, b) => b.count - a.count || compare(a.template, b.template));
}

function patternOf(template: string, shapes: readonly Shape[]): Pattern {
  const services = sumOf(shapes.map(({ services }) => services));
  return {
    template,
    count: shapes.reduce((sum, { count }) => sum + count, 0),
    severities: sumOf(shapes.map(({ severities }) => severities)),
    services: Object.entries(services)
      .sort(([a, n], [b, m]) => m - n || compare(a, b))
      .slice(0, 10)
      .map(([name]) => name),
    firstNs: shapes.reduce((least, { firstNs }) => (firstNs < least ? firstNs : least), shapes[0]?.firstNs ?? 0n),
    lastNs: shapes.reduce((most, { lastNs }) => (lastNs > most ? lastNs : most), 0n),
    isNew: shapes.every(({ isKnown }) => !isKnown),
    trend: (shapes[0]?.trend ?? []).map((_, slice) => shapes.reduce((sum, { trend }) => sum + (trend[slice] ?? 0), 0)),
    examples: [...new Set(shapes.flatMap(({ examples }) => examples))].slice(0, 3),
    shapes: shapes.slice(0, 20).map(({ hash }) => hash),
  };
}

function sumOf(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const one of counts)
    for (const [name, count] of Object.entries(one)) sums.set(name, (sums.get(name) ?? 0) + count);
  return Object.fromEntries(sums);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const severityNames = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type SeverityName = (typeof severityNames)[number];

/** The lowest OpenTelemetry severity number of a name. */
export function severityFloor(name: SeverityName): number {
  return severityNames.indexOf(name) * 4 + 1;
}
/** The name of an OpenTelemetry severity number; `unset` for 0. */
export function severityName(number: number): string {
  return number <= 0 ? 'unset' : (severityNames[Math.floor((number - 1) / 4)] ?? 'fatal');
}
