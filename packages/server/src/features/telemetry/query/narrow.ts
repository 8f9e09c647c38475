import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Compiled, FieldCatalogue } from '@fanion/oql';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { FieldCatalogues } from '../fields/index.ts';

/** How long an answer waits for inserts that began beside it to end, and how often it looks. */
const patienceMs = 1_000;
const pauseMs = 20;

/**
 * Runs a query that reads attributes of any type, or metrics of any kind, compiled to read only what there is of the types and kinds
 * that they have had, where that gives the same answer.
 *
 * Rows come before their types are known, within one insert. So the types are asked for when no insert is under way; and
 * once more after the answer, when those inserts have ended that were under way then: these and ended ones are all whose rows
 * the answer can have seen. If there are other types by then, the answer is thrown away.
 * @param query as it reads all types and kinds
 * @param compileWith the same query, where the types are known; undefined where it does not compile
 */
export async function runNarrowed<T>(
  {
    catalogues,
    place,
    query,
    compileWith,
    signal,
  }: {
    readonly catalogues: Pick<FieldCatalogues, 'typesOf' | 'insertsUnderWay'>;
    readonly place: TelemetryScope;
    readonly query: Compiled;
    readonly compileWith: (types: FieldCatalogue) => Compiled | undefined;
    readonly signal: AbortSignal;
  },
  run: (query: Compiled) => Promise<T>,
): Promise<T> {
  if (query.attributes.length + query.metrics.length === 0) return run(query);
  // What the store cannot tell at the moment is read from everywhere.
  const typesNow = () => catalogues.typesOf(place, query, query.reach, signal).catch(() => undefined);
  const insertsNow = () => catalogues.insertsUnderWay(place, signal).catch(() => undefined);
  if ((await insertsNow())?.size !== 0) return run(query);
  const types = await typesNow();
  const narrow = types && compileWith(types);
  if (!narrow) return run(query);
  const answer = await run(narrow);
  if (!(await haveEnded(await insertsNow(), insertsNow, signal))) return run(query);
  return isDeepStrictEqual(await typesNow(), types) ? answer : run(query);
}

type Inserts = ReadonlySet<string> | undefined;

async function haveEnded(inserts: Inserts, insertsNow: () => Promise<Inserts>, signal: AbortSignal): Promise<boolean> {
  let left = inserts;
  for (let waitedMs = 0; left !== undefined && left.size > 0; waitedMs += pauseMs) {
    if (waitedMs >= patienceMs) return false;
    await setTimeout(pauseMs, undefined, { signal });
    const now = await insertsNow();
    left = now && new Set([...left].filter((id) => now.has(id)));
  }
  return left !== undefined;
}
