import { executeTogether } from './batch.ts';
import type { Connection } from './connect.ts';
import type { FlagSet } from './document.ts';
import { execute } from './execute.ts';
import { plan, type Step } from './plan.ts';
import { readRemote } from './remote.ts';
import type { Terminal } from './terminal.ts';

export interface DeployOptions {
  /** Shows the difference, and writes nothing. */
  readonly dryRun: boolean;
  /** Does not ask. */
  readonly yes: boolean;
  /** For the history. */
  readonly comment: string;
  /** Archives flags and deletes segments that the documents do not name. */
  readonly prune?: boolean;
  /** Writes all or nothing, in one request. Goes without `prune`. */
  readonly together?: boolean;
}

/**
 * Makes a project have what the documents say: shows the difference, asks, writes. What `fanion apply` and
 * `fanion import` have in common.
 *
 * @returns the exit code: 0 when all is as it was asked for or waits for approval, 1 when something could not be done,
 * 2 when nobody can be asked
 */
export async function deploy(
  connection: Connection,
  desired: FlagSet,
  { dryRun, yes, comment, prune = false, together = false }: DeployOptions,
  terminal: Terminal,
): Promise<number> {
  const keys = { flags: keysOf(desired.flags), segments: keysOf(desired.segments) };
  const remote = await readRemote(connection, {
    flag: (key) => prune || keys.flags.has(key),
    segment: (key) => prune || keys.segments.has(key),
  });
  const { steps, problems } = plan(desired, remote, { prune });
  if (problems.length > 0) {
    for (const problem of problems) terminal.err(`  ! ${problem}`);
    terminal.err(`${count(problems.length, 'problem')}; nothing was changed`);
    return 1;
  }
  const open = steps.filter((step) => !step.waiting);
  for (const { title, lines, waiting } of steps) {
    terminal.out(waiting ? `${title} (waits for approval already)` : title);
    for (const line of lines) terminal.out(`    ${line}`);
  }
  if (!prune) tellUnnamed(remote, keys, terminal);
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
      terminal.err('nobody can be asked here: give --yes to go ahead, or --dry-run to only look');
      return 2;
    }
    const gone = open.filter(({ write: { kind } }) => kind === 'archive_flag' || kind === 'remove_segment').length;
    const taken = gone === 0 ? '' : `, ${gone} of which take something away`;
    if (!(await terminal.ask(`Make ${count(open.length, 'change')}${taken}?`))) return 1;
  }
  if (together) return writeTogether(connection, open, comment, terminal);
  const results = await execute(connection, steps, comment, (result) => {
    if (result.outcome === 'failed') terminal.err(`  ! ${result.step.title}: ${result.why}`);
    else if (result.outcome === 'skipped') terminal.err(`  ! ${result.step.title}: skipped, since ${result.why}`);
    else if (result.outcome === 'stays') terminal.out(`  = ${result.step.title}: it stays, since ${result.why}`);
  });
  const of = (outcome: string) => results.filter((result) => result.outcome === outcome).length;
  const parts = [
    `${of('done')} done`,
    ...(of('waits') > 0 ? [`${of('waits')} wait for approval`] : []),
    ...(of('stays') > 0 ? [`${of('stays')} stay`] : []),
    ...(of('failed') > 0 ? [`${of('failed')} failed`] : []),
    ...(of('skipped') > 0 ? [`${of('skipped')} skipped`] : []),
  ];
  terminal.out(parts.join(', '));
  return of('failed') + of('skipped') > 0 ? 1 : 0;
}

async function writeTogether(
  connection: Connection,
  steps: readonly Step[],
  comment: string,
  terminal: Terminal,
): Promise<number> {
  const result = await executeTogether(connection, steps, comment);
  if (result.outcome === 'refused') {
    for (const problem of result.problems) terminal.err(`  ! ${problem}`);
    terminal.err('nothing was changed');
    return 1;
  }
  const waits = result.waits > 0 ? `, ${result.waits} wait for approval` : '';
  terminal.out(`${result.done} done${waits}`);
  return 0;
}

/** What is on the server and in no document is left alone, and said. */
function tellUnnamed(
  remote: { readonly flagKeys: ReadonlySet<string>; readonly segmentKeys: ReadonlySet<string> },
  keys: { readonly flags: ReadonlySet<string>; readonly segments: ReadonlySet<string> },
  terminal: Terminal,
): void {
  const flags = [...remote.flagKeys].filter((key) => !keys.flags.has(key)).length;
  const segments = [...remote.segmentKeys].filter((key) => !keys.segments.has(key)).length;
  if (flags + segments > 0) {
    terminal.out(`(${count(flags, 'flag')} and ${count(segments, 'segment')} of the project are not named, and stay)`);
  }
}

function keysOf(documents: readonly { readonly key: string }[]): ReadonlySet<string> {
  return new Set(documents.map(({ key }) => key));
}

export function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
