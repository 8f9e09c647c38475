import type { Terminal } from './terminal.ts';

/** One change, as the user sees it before it is made. */
export interface Change {
  /** `+ alert rule Checkout fails`: begins with + (creates), ~ (changes) or - (removes). */
  readonly title: string;
  readonly lines: readonly string[];
  /** The same change already waits for approval. */
  readonly waiting?: boolean;
}

/** How many changes ended in which way. */
export interface Outcome {
  readonly done: number;
  readonly waits: number;
  readonly kept: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The difference between files and the server in some kinds of things, and how to remove it. */
export interface Part {
  /** What cannot be done; while there are problems, nothing is written. */
  readonly problems: readonly string[];
  readonly changes: readonly Change[];
  /** What the user should know besides. */
  readonly remarks: readonly string[];
  /** Makes the changes, except those that wait. Undefined if the server refused all of them. */
  run(terminal: Terminal): Promise<Outcome | undefined>;
}

export interface CarryOutOptions {
  /** Shows the difference and writes nothing. */
  readonly dryRun: boolean;
  /** Does not ask for confirmation. */
  readonly yes: boolean;
}

/**
 * Shows the difference, asks, writes. Shared by `fanion apply` and `fanion import`.
 *
 * @returns the exit code: 0 when every change is written or waits for approval, 1 when a change failed, 2 when there is
 * no terminal to ask for confirmation
 */
export async function carryOut(
  parts: readonly Part[],
  { dryRun, yes }: CarryOutOptions,
  terminal: Terminal,
): Promise<number> {
  const problems = parts.flatMap((part) => part.problems);
  if (problems.length > 0) {
    for (const problem of problems) terminal.err(`  ! ${problem}`);
    terminal.err(`${count(problems.length, 'problem')}; nothing was changed`);
    return 1;
  }
  const changes = parts.flatMap((part) => part.changes);
  for (const { title, lines, waiting } of changes) {
    terminal.out(waiting ? `${title} (waits for approval already)` : title);
    for (const line of lines) terminal.out(`    ${line}`);
  }
  for (const remark of parts.flatMap(({ remarks }) => remarks)) terminal.out(`(${remark})`);
  const open = changes.filter(({ waiting }) => !waiting);
  if (open.length === 0) {
    terminal.out('nothing to change');
    return 0;
  }
  if (dryRun) {
    terminal.out(`${count(open.length, 'change')}; nothing was changed, this was a dry run`);
    return 0;
  }
  if (!yes) {
    if (terminal.ask === undefined) {
      terminal.err(
        'cannot ask for confirmation without a terminal: use --yes to continue, or --dry-run to only show the changes',
      );
      return 2;
    }
    const gone = open.filter(({ title }) => title.startsWith('-')).length;
    const taken = gone === 0 ? '' : `, ${gone} of which remove something`;
    if (!(await terminal.ask(`Make ${count(open.length, 'change')}${taken}?`))) return 1;
  }
  const total = { done: 0, waits: 0, kept: 0, failed: 0, skipped: 0 };
  for (const part of parts) {
    if (part.changes.length === 0) continue;
    const outcome = await part.run(terminal);
    if (outcome === undefined) {
      terminal.err(total.done === 0 ? 'nothing was changed' : `${total.done} done, the rest was refused`);
      return 1;
    }
    for (const key of ['done', 'waits', 'kept', 'failed', 'skipped'] as const) total[key] += outcome[key];
  }
  const named = { waits: 'wait for approval', kept: 'kept', failed: 'failed', skipped: 'skipped' } as const;
  const others = (['waits', 'kept', 'failed', 'skipped'] as const).filter((key) => total[key] > 0);
  terminal.out([`${total.done} done`, ...others.map((key) => `${total[key]} ${named[key]}`)].join(', '));
  return total.failed + total.skipped > 0 ? 1 : 0;
}

export function count(n: number, what: string): string {
  return `${n} ${n === 1 ? what : pluralOf(what)}`;
}

function pluralOf(what: string): string {
  return what.endsWith('y') ? `${what.slice(0, -1)}ies` : `${what}s`;
}
