import type { Context } from '../check/context.ts';
import type { Relation } from '../check/relation.ts';
import { type Scan, scanColumn, type Window } from '../plan/plan.ts';
import { column } from '../sql/sql.ts';
import { optionalText, plain } from './fields.ts';
import { type Intrinsic, intrinsicsOf, type Read } from './rows.ts';

export const CHANGE_FIELDS: Readonly<Record<string, Intrinsic>> = {
  time: plain('time', 'timestamp', 'When it happened.'),
  end: {
    doc: 'When it ended, if it lasted.',
    value: (read) => ({ type: 'timestamp', sql: read('end'), nullable: true }),
  },
  kind: plain(
    'kind',
    'string',
    'What changed: `manual` (a note of a person), `flag`, `ramp`, `rollback`, `alert` or `deploy`.',
  ),
  text: plain('text', 'string', 'What happened, as on charts.'),
  'service.name': optionalText('service', 'The service that it concerns.'),
  flag: optionalText('flag', 'The key of the flag: of flags, ramps and rollbacks.'),
  state: optionalText('state', 'The state that the alert changed to: `firing` or `resolved`.'),
  version: optionalText('version', 'The version of the service that was deployed.'),
  author: optionalText('author', 'Who changed it.'),
  tags: {
    doc: 'The tags of a note.',
    value: (read) => ({ type: 'array', sql: read('tags'), nullable: false }),
  },
  project: optionalText('project', 'The key of the project.'),
  environment: optionalText('environment', 'The environment.'),
  id: plain('id', 'string', 'The id of what it stands for.'),
};

/**
 * What changed: notes of people, changes of flags, ramps, rollbacks, alerts that begin or stop to fire, and deploys. They are not in
 * the telemetry store: the statement gets its rows as a parameter (`Compiled.changes`).
 */
export function changesRelation(window: Window, ctx: Context): Relation {
  const scan: Scan = { op: 'scan', table: 'changes', window, columns: new Map() };
  const read: Read = (name) => column(scanColumn(scan, name, ctx.fresh));
  const intrinsics = intrinsicsOf(CHANGE_FIELDS, read);
  const time = intrinsics.intrinsic('time');
  return {
    plan: scan,
    columns: [],
    window,
    sorted: false,
    rows: {
      signal: 'changes',
      ...intrinsics,
      unscoped: true,
      defaults: ['time', 'kind', 'text', 'service.name', 'flag', 'author', 'environment'],
    },
    ...(time ? { time } : {}),
  };
}
