import { CHANGE_FIELDS } from './changes.ts';
import { EVENT_FIELDS, LINK_FIELDS } from './events.ts';
import { EXEMPLAR_FIELDS } from './exemplars.ts';
import { FLAG_FIELDS } from './flags.ts';
import { FIELD_COLUMNS, METRIC_COLUMNS } from './listings.ts';
import { LOGS } from './logs.ts';
import { METRIC_FIELDS } from './metrics.ts';
import { PROFILE_FIELDS } from './profiles.ts';
import type { Intrinsic } from './rows.ts';
import { SPANS } from './spans.ts';
import { TRACE_FIELDS } from './traces.ts';

function docs(fields: Readonly<Record<string, Pick<Intrinsic, 'doc'>>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).map(([name, { doc }]) => [name, doc]));
}

/** The fields that every row of a signal has, with what they are. */
export const FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  logs: docs(LOGS.intrinsics),
  spans: docs(SPANS.intrinsics),
  traces: docs(TRACE_FIELDS),
  events: EVENT_FIELDS,
  links: LINK_FIELDS,
  metric: docs(METRIC_FIELDS),
  exemplars: docs(EXEMPLAR_FIELDS),
  profiles: docs(PROFILE_FIELDS),
  flags: docs(FLAG_FIELDS),
  changes: docs(CHANGE_FIELDS),
  metrics: METRIC_COLUMNS,
  fields: FIELD_COLUMNS,
};
