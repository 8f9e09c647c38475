import type { Annotation } from '@fanion/contract';
import { quote } from './oql.ts';

/** The service that charts are about, and which changed flags its traces evaluate. */
export interface ChartSubject {
  readonly service: string;
  /** Flags that were looked for; others count as evaluated. Undefined: the answer is not known yet. */
  readonly flags: { readonly asked: readonly string[]; readonly evaluated: ReadonlySet<string> } | undefined;
}

/** Each flag takes seven stages of a query, which may have 64. */
const MOST_FLAGS = 8;
/** Traces of the service in which evaluations are looked for. */
const TRACES = 5_000;

/**
 * Whether charts of a service mark an annotation: its own deploys and alerts, changes of flags that its traces evaluate, and
 * notes that name no other service.
 */
export function concerns(
  { kind, service, flag }: Pick<Annotation, 'kind' | 'service' | 'flag'>,
  subject: ChartSubject,
): boolean {
  switch (kind) {
    case 'deploy':
    case 'alert':
      return service === subject.service;
    case 'manual':
      return service === null || service === subject.service;
    case 'flag':
    case 'ramp':
    case 'rollback':
      if (flag === null || subject.flags === undefined) return false;
      return subject.flags.evaluated.has(flag) || !subject.flags.asked.includes(flag);
  }
}

/** The flags that changed last, each once. */
export function changedFlags(annotations: readonly Pick<Annotation, 'flag'>[]): string[] {
  return [...new Set(annotations.flatMap(({ flag }) => flag ?? []))].slice(0, MOST_FLAGS);
}

/** Which of these flags the service evaluates, or other services in the same traces: rows with `flag`. */
export function evaluatedQuery(service: string, flags: readonly string[]): string {
  const isService = `service.name == ${quote(service)}`;
  const traces = `spans | where ${isService} | limit ${TRACES} | fields trace_id`;
  const [first = '', ...others] = flags.map(
    (flag) => `flags ${quote(flag)} | where ${isService} or trace_id in (${traces}) | limit 1 | fields flag`,
  );
  return [first, ...others.map((one) => `union (${one})`)].join(' | ');
}
