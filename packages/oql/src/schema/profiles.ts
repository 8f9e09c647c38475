import type { Context } from '../check/context.ts';
import type { Relation, Rows } from '../check/relation.ts';
import type { Definition, Plan, Scan, Window } from '../plan/plan.ts';
import { scanColumn } from '../plan/plan.ts';
import { aggregate, type ColumnId, column, sql, text } from '../sql/sql.ts';
import { attributeValue } from './attributes.ts';
import { id, optionalText, plain, RESOURCE, typedMap } from './fields.ts';
import { type Intrinsic, intrinsicsOf, type Read } from './rows.ts';

const STACK_COLUMNS = ['frames', 'files', 'lines'] as const;

export const PROFILE_FIELDS: Readonly<Record<string, Intrinsic>> = {
  time: plain('time', 'timestamp', 'When the sample was taken.', 'order key'),
  value: plain('value', 'int', 'How much of the type it represents, such as nanoseconds of CPU.'),
  profile_type: plain(
    'profile_type',
    'string',
    'The measured quantity and its unit, such as `cpu:nanoseconds`.',
    'order key',
  ),
  'service.name': plain('service', 'string', 'The service that sent it.', 'order key'),
  environment: optionalText('environment', 'The environment that sent it.'),
  trace_id: id('trace_id', 16, true, 'The trace that was running.', 'bloom filter of trace_id'),
  span_id: id('span_id', 8, true, 'The span that was running.'),
  leaf: {
    doc: 'The function that was running.',
    value: (read) => ({ type: 'string', sql: sql`${read('frames')}[-1]`, nullable: false }),
  },
  root: {
    doc: 'The root function of the stack.',
    value: (read) => ({ type: 'string', sql: sql`${read('frames')}[1]`, nullable: false }),
  },
  frames: {
    doc: 'The functions of the stack, root first; `frames has "main"`.',
    value: (read) => ({ type: 'array', sql: read('frames'), nullable: false }),
  },
  depth: {
    doc: 'The number of functions in the stack.',
    value: (read) => ({ type: 'int', sql: sql`length(${read('frames')})`, nullable: false }),
  },
  attributes: typedMap('attributes', 'attribute_types', 'All attributes of the sample.'),
  resource: RESOURCE,
};

/** The samples of a type of profile, each with its stack. `cpu` means `cpu:nanoseconds` too: the unit may be left out. */
export function profilesRelation(profile: string, window: Window, ctx: Context): Relation {
  const scan: Scan = { op: 'scan', table: 'profile_samples', window, columns: new Map() };
  const sample: Read = (name) => column(scanColumn(scan, name, ctx.fresh));
  const type = sample('profile_type');
  const ofType = sql`(${type} = ${text(profile)} OR startsWith(${type}, ${text(`${profile}:`)}))`;
  const stacks = stacksOf(window, ctx);
  const plan: Plan = {
    op: 'join',
    mode: 'inner',
    lookup: true,
    left: { op: 'filter', input: scan, predicate: ofType },
    right: stacks.plan,
    on: [{ left: sample('stack_id'), right: column(stacks.key) }],
  };
  const read: Read = (name) => {
    const known = stacks.columns.get(name);
    return known === undefined ? sample(name) : column(known);
  };
  const intrinsics = intrinsicsOf(PROFILE_FIELDS, read);
  const rows: Rows = {
    signal: 'profiles',
    ...intrinsics,
    defaults: ['time', 'profile_type', 'service.name', 'value', 'leaf', 'frames', 'trace_id'],
    subject: 'value',
    unscoped: true,
    attribute: (scope, keys) => {
      const maps = {
        signal: { kind: 'text', map: sample('attributes'), types: sample('attribute_types') },
        resource: { kind: 'text', map: sample('resource'), types: sample('resource_types') },
      } as const;
      return attributeValue(maps, scope, keys);
    },
  };
  const time = intrinsics.intrinsic('time');
  return { plan, columns: [], window, sorted: false, rows, ...(time ? { time } : {}) };
}

/** One row for each stack: it is written once a day. */
function stacksOf(window: Window, ctx: Context) {
  const scan: Scan = { op: 'scan', table: 'profile_stacks', window, columns: new Map() };
  const read: Read = (name) => column(scanColumn(scan, name, ctx.fresh));
  const key = ctx.fresh();
  const columns = new Map<string, ColumnId>(STACK_COLUMNS.map((name) => [name, ctx.fresh()]));
  const aggregates = [...columns].map(([name, of]): Definition => ({ id: of, value: aggregate('any', [read(name)]) }));
  const plan: Plan = { op: 'aggregate', input: scan, keys: [{ id: key, value: read('stack_id') }], aggregates };
  return { plan, key, columns };
}
