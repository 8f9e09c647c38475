import { executeTogether } from './batch.ts';
import type { Connection } from './connect.ts';
import type { FlagSet } from './document.ts';
import { execute } from './execute.ts';
import { plan, type Step } from './plan.ts';
import { readRemote } from './remote.ts';
import type { Terminal } from './terminal.ts';

export interface DeployOptions {
  /** Shows the difference and writes nothing. */
  readonly dryRun: boolean;
  /** Does not ask for confirmation. */
  readonly yes: boolean;
  /** Comment for the history. */
  readonly comment: string;
  /** Archives flags and deletes segments that are not in the documents. */
  readonly prune?: boolean;
  /** Writes all or nothing, in one request. Excludes `prune`. */
  readonly together?: boolean;
}

/**
 * Brings a project in line with the documents: shows the difference, asks, writes. Shared by `fanion apply` and
 * `fanion import`.
 *
 * @returns the exit code: 0 when every change is written or waits for approval, 1 when a change failed, 2 when there is
 * no terminal to ask for confirmation
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
      terminal.err(
        'cannot ask for confirmation without a terminal: use --yes to continue, or --dry-run to only show the changes',
      );
      return 2;
    }
    const gone = open.filter(({ write: { kind } }) => kind === 'archive_flag' || kind === 'remove_segment').length;
    const taken = gone === 0 ? '' : `, ${gone} of which remove something`;
    if (!(await terminal.ask(`Make ${count(open.length, 'change')}${taken}?`))) return 1;
  }
  if (together) return writeTogether(connection, open, comment, terminal);
  const results = await execute(connection, steps, comment, (result) => {
    if (result.outcome === 'failed') terminal.err(`  ! ${result.step.title}: ${result.why}`);
    else if (result.outcome === 'skipped') terminal.err(`  ! ${result.step.title}: skipped because ${result.why}`);
    else if (result.outcome === 'stays') terminal.out(`  = ${result.step.title}: kept because ${result.why}`);
  });
  const of = (outcome: string) => results.filter((result) => result.outcome === outcome).length;
  const parts = [
    `${of('done')} done`,
    ...(of('waits') > 0 ? [`${of('waits')} wait for approval`] : []),
    ...(of('stays') > 0 ? [`${of('stays')} kept`] : []),
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

/** Reports what is on the server and in no document. It is not changed. */
function tellUnnamed(
  remote: { readonly flagKeys: ReadonlySet<string>; readonly segmentKeys: ReadonlySet<string> },
  keys: { readonly flags: ReadonlySet<string>; readonly segments: ReadonlySet<string> },
  terminal: Terminal,
): void {
  const flags = [...remote.flagKeys].filter((key) => !keys.flags.has(key)).length;
  const segments = [...remote.segmentKeys].filter((key) => !keys.segments.has(key)).length;
  if (flags + segments > 0) {
    terminal.out(
      `(${count(flags, 'flag')} and ${count(segments, 'segment')} of the project have no file and are not changed)`,
    );
  }
}

function keysOf(documents: readonly { readonly key: string }[]): ReadonlySet<string> {
  return new Set(documents.map(({ key }) => key));
}

export function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
