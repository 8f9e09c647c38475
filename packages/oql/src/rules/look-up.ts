import type { Definition, Plan, Scan } from '../plan/plan.ts';
import { scanColumn } from '../plan/plan.ts';
import { all, type ColumnId, column, type Sql } from '../sql/sql.ts';
import { columnsOf, expressionsOf, inputsOf, withInputs } from './columns.ts';
import { CRITICAL_PATH, IS_CRITICAL, lookUpCriticalPath } from './critical-path.ts';
import { conjuncts } from './push-filters.ts';
import { lookUpSelfTime, SELF_TIME } from './self-time.ts';
import type { LookUp } from './traces.ts';

/** Columns of spans that no table stores, and how to look them up. */
const LOOK_UPS: readonly { readonly names: readonly string[]; readonly lookUp: LookUp }[] = [
  { names: [SELF_TIME], lookUp: lookUpSelfTime },
  { names: [CRITICAL_PATH, IS_CRITICAL], lookUp: lookUpCriticalPath },
];
const LOOKED_UP = new Set(LOOK_UPS.flatMap(({ names }) => names));

/**
 * Adds the columns that no table stores to the scans that request them. The spans that they are computed from are read a
 * second time, with the same tenant, and joined. If nothing reads such a column, nothing is looked up.
 */
export function lookUp(plan: Plan, read: ReadonlySet<ColumnId>, fresh: () => ColumnId): Plan {
  const conditions: Sql[] = [];
  let source = plan;
  while (source.op === 'filter') {
    conditions.unshift(...conjuncts(source.predicate));
    source = source.input;
  }
  if (source.op === 'scan' && [...source.columns.keys()].some((name) => LOOKED_UP.has(name)))
    return withLookUps(source, conditions, read, fresh);
  const below = new Set(read);
  for (const expression of expressionsOf(plan)) columnsOf(expression, below);
  return withInputs(
    plan,
    inputsOf(plan).map((input) => lookUp(input, below, fresh)),
  );
}

function withLookUps(scan: Scan, conditions: readonly Sql[], read: ReadonlySet<ColumnId>, fresh: () => ColumnId): Plan {
  const wanted = new Map([...scan.columns].filter(([name]) => LOOKED_UP.has(name)));
  const ids = new Set(wanted.values());
  const isAboutWanted = (condition: Sql) => [...columnsOf(condition)].some((id) => ids.has(id));
  const before = conditions.filter((condition) => !isAboutWanted(condition));
  const after = conditions.filter(isAboutWanted);
  const below = new Set(read);
  for (const condition of after) columnsOf(condition, below);

  const own: Scan = { ...scan, columns: new Map([...scan.columns].filter(([name]) => !LOOKED_UP.has(name))) };
  const spans = filtered(own, before);
  const of = (name: string) => column(scanColumn(own, name, fresh));
  let plan = spans;
  const columns: Definition[] = [];
  for (const { names, lookUp } of LOOK_UPS) {
    const asked = names.flatMap((name) => {
      const id = wanted.get(name);
      return id !== undefined && below.has(id) ? [{ name, id }] : [];
    });
    if (asked.length === 0) continue;
    const traces: Sql | undefined =
      before.length > 0 ? { kind: 'query', plan: spans, columns: [scanColumn(own, 'trace_id', fresh)] } : undefined;
    const found = lookUp({ window: scan.window, traces, span: of, fresh });
    const on = found.on.map(({ name, right }) => ({ left: of(name), right }));
    plan = { op: 'join', mode: 'left', lookup: true, left: plan, right: found.plan, on };
    for (const { name, id } of asked) columns.push({ id, value: found.value(name) });
  }
  return filtered(columns.length > 0 ? { op: 'extend', input: plan, columns } : plan, after);
}

function filtered(input: Plan, conditions: readonly Sql[]): Plan {
  return conditions.length > 0 ? { op: 'filter', input, predicate: all(conditions) } : input;
}
