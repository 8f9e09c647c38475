import { parse } from '@fanion/oql';
import { UsageError } from '../files/usage-error.ts';

/** What the server's tail stream takes. */
export interface Selection {
  readonly source: 'logs' | 'spans';
  /** A condition in OQL. */
  readonly where?: string;
}

/** Reads `logs | where … | where …`. @throws UsageError */
export function selectionOf(oql: string): Selection {
  const { query, findings } = parse(oql);
  const [finding] = findings;
  if (query === undefined || finding !== undefined) throw new UsageError(finding?.message ?? 'the query is invalid');
  const { source, stages } = query.pipeline;
  const signal = source.kind === 'signal' && query.lets.length === 0 ? source.signal : undefined;
  if (signal !== 'logs' && signal !== 'spans') throw new UsageError('tail follows logs or spans');
  if (query.range !== undefined) throw new UsageError('tail follows what arrives: leave the time range out');
  const conditions = stages.map((stage) => {
    if (stage.kind !== 'where') throw new UsageError('tail takes only where stages; fanion query takes all');
    return oql.slice(stage.predicate.start, stage.predicate.end);
  });
  const [first, ...more] = conditions;
  if (first === undefined) return { source: signal };
  return { source: signal, where: more.length === 0 ? first : conditions.map((one) => `(${one})`).join(' and ') };
}
