import { maxFlagsOfTrace, maxLogsOfTrace } from '@fanion/contract';
import type { Trace } from './trace-tree.ts';

const MOST = { logs: maxLogsOfTrace, flags: maxFlagsOfTrace } as const;
type List = keyof typeof MOST;

/** Warns that a list may lack later entries, and names the query that returns them. */
export function CutNote({ trace, list }: { trace: Pick<Trace, 'trace_id' | List>; list: List }) {
  if ((trace[list]?.length ?? 0) < MOST[list]) return null;
  const [what, source, wanted] =
    list === 'logs' ? ['log records', 'logs', 'all of them'] : ['evaluations', 'flags "KEY"', 'those of a flag'];
  return (
    <p className="dim">
      This page shows at most {MOST[list].toLocaleString('en-US')} {what} of a trace. For {wanted}, run{' '}
      <code>{`${source} | where trace_id == "${trace.trace_id}"`}</code> in Explore.
    </p>
  );
}
