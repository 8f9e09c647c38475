import type { Connection } from '../files/connect.ts';
import { count, type Outcome, type Part } from '../files/part.ts';
import type { Terminal } from '../files/terminal.ts';
import { executeTogether } from './batch.ts';
import type { FlagSet } from './document.ts';
import { execute } from './execute.ts';
import { plan, type Step } from './plan.ts';
import { readRemote } from './remote.ts';

export interface DeployOptions {
  /** Comment for the history. */
  readonly comment: string;
  /** Archives flags and deletes segments that are not in the documents. */
  readonly prune?: boolean;
  /** Writes all or nothing, in one request. Excludes `prune`. */
  readonly together?: boolean;
}

/** What brings the flags and segments of a project in line with the documents. */
export async function planFlags(
  connection: Connection,
  desired: FlagSet,
  { comment, prune = false, together = false }: DeployOptions,
): Promise<Part> {
  const keys = { flags: keysOf(desired.flags), segments: keysOf(desired.segments) };
  const remote = await readRemote(connection, {
    flag: (key) => prune || keys.flags.has(key),
    segment: (key) => prune || keys.segments.has(key),
  });
  const { steps, problems } = plan(desired, remote, { prune });
  return {
    problems,
    changes: steps,
    remarks: prune ? [] : unnamed(remote, keys),
    run: (terminal) =>
      together ? runTogether(connection, steps, comment, terminal) : run(connection, steps, comment, terminal),
  };
}

async function run(
  connection: Connection,
  steps: readonly Step[],
  comment: string,
  terminal: Terminal,
): Promise<Outcome> {
  const results = await execute(connection, steps, comment, (result) => {
    if (result.outcome === 'failed') terminal.err(`  ! ${result.step.title}: ${result.why}`);
    else if (result.outcome === 'skipped') terminal.err(`  ! ${result.step.title}: skipped because ${result.why}`);
    else if (result.outcome === 'stays') terminal.out(`  = ${result.step.title}: kept because ${result.why}`);
  });
  const of = (outcome: string) => results.filter((result) => result.outcome === outcome).length;
  return { done: of('done'), waits: of('waits'), kept: of('stays'), failed: of('failed'), skipped: of('skipped') };
}

async function runTogether(
  connection: Connection,
  steps: readonly Step[],
  comment: string,
  terminal: Terminal,
): Promise<Outcome | undefined> {
  const open = steps.filter((step) => !step.waiting);
  const result = await executeTogether(connection, open, comment);
  if (result.outcome === 'written') return { done: result.done, waits: result.waits, kept: 0, failed: 0, skipped: 0 };
  for (const problem of result.problems) terminal.err(`  ! ${problem}`);
  return undefined;
}

/** What is on the server and in no document. It is not changed. */
function unnamed(
  remote: { readonly flagKeys: ReadonlySet<string>; readonly segmentKeys: ReadonlySet<string> },
  keys: { readonly flags: ReadonlySet<string>; readonly segments: ReadonlySet<string> },
): string[] {
  const flags = [...remote.flagKeys].filter((key) => !keys.flags.has(key)).length;
  const segments = [...remote.segmentKeys].filter((key) => !keys.segments.has(key)).length;
  if (flags + segments === 0) return [];
  return [`${count(flags, 'flag')} and ${count(segments, 'segment')} of the project have no file and are not changed`];
}

function keysOf(documents: readonly { readonly key: string }[]): ReadonlySet<string> {
  return new Set(documents.map(({ key }) => key));
}
