import { parse } from './syntax/parse.ts';

/** Kinds of ingested telemetry that a query can read. */
export type ReadSignal = 'traces' | 'logs' | 'metrics' | 'profiles' | 'evaluations';

/** What a query reads, as far as its text says. */
export interface Reads {
  readonly signals: ReadonlySet<ReadSignal>;
  /** Metrics that it names, sorted. */
  readonly metrics: readonly string[];
  /** Patterns of the names of further metrics that it reads (RE2); each matches any part of a name. */
  readonly patterns: readonly string[];
  /**
   * Whether rows that a condition drops, or that nothing was found for over a look-back, are missing from its answer. Conditions that
   * compare with strings, such as those on labels, do not count: what they drop never was a row.
   */
  readonly dropsRows: boolean;
}

const signalOfSource: Readonly<Record<string, readonly ReadSignal[]>> = {
  metric: ['metrics'],
  matching: ['metrics'],
  exemplars: ['metrics'],
  metrics: ['metrics'],
  profiles: ['profiles'],
  // Clients report evaluations in logs.
  flags: ['evaluations', 'logs'],
};
/** Stages after which rows can be missing. `latest` and the rates of PromQL look back longer than a window. */
const dropping: ReadonlySet<unknown> = new Set([
  'match',
  'join',
  'top',
  'limit',
  'dedup',
  'sample',
  'contrast',
  'promrate',
]);

type Node = Readonly<Record<string, unknown>>;

/** Undefined for a text that does not parse. */
export function readsOf(text: string): Reads | undefined {
  const { query } = parse(text);
  if (query === undefined) return undefined;
  const signals = new Set<ReadSignal>();
  const metrics = new Set<string>();
  const patterns = new Set<string>();
  let dropsRows = false;

  function visit(value: unknown): void {
    if (Array.isArray(value)) for (const one of value) visit(one);
    else if (isNode(value)) {
      note(value);
      for (const one of Object.values(value)) visit(one);
    }
  }
  function note(node: Node): void {
    const { kind } = node;
    if (kind === 'signal') signals.add(node.signal === 'logs' ? 'logs' : 'traces');
    for (const signal of signalOfSource[String(kind)] ?? []) signals.add(signal);
    if (typeof node.metric === 'string') metrics.add(node.metric);
    if (kind === 'matching') patterns.add(String(node.pattern));
    if (kind === 'call' && isNode(node.name) && String(node.name.text).startsWith('flag'))
      for (const signal of signalOfSource.flags ?? []) signals.add(signal);
    if (dropping.has(kind) || (kind === 'trend' && node.fn === 'latest')) dropsRows = true;
    if (kind === 'where' && !isAboutText(node.predicate)) dropsRows = true;
  }

  visit(query);
  return { signals, metrics: [...metrics].sort(), patterns: [...patterns].sort(), dropsRows };
}

/** Whether a predicate only compares with strings. */
function isAboutText(predicate: unknown): boolean {
  if (!isNode(predicate)) return false;
  const { kind } = predicate;
  if (kind === 'and' || kind === 'or') return listOf(predicate.operands).every(isAboutText);
  if (kind === 'not') return isAboutText(predicate.operand);
  if (kind === 'exists') return true;
  if (kind === 'compare') return isNode(predicate.right) && predicate.right.kind === 'string';
  if (kind !== 'in' || !isNode(predicate.set) || predicate.set.kind !== 'list') return false;
  return listOf(predicate.set.items).every((item) => isNode(item) && item.kind === 'string');
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
