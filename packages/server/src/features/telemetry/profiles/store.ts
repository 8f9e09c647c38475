import { mapInSlices } from '../../../platform/breath.ts';
import {
  inScope,
  inWindow,
  type ScopedTelemetry,
  type TelemetryScope,
  windowParameters,
} from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';
import type { Stack } from './rules.ts';

export interface ProfileSelection {
  readonly profileType: string;
  readonly service: string | undefined;
  /** Hexadecimal. */
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
}

interface Row {
  readonly names: string[];
  readonly files: string[];
  readonly value: number;
  readonly base_value: number;
  readonly samples: number;
}

/** Limit of the stacks read. Stacks repeat the names of their frames, so they take more space than the result. */
const maxStackBytes = 64 * 1024 ** 2;

/** Variants of a flag whose traces are compared, in place of two windows. */
export interface ArmSelection {
  readonly flag: string;
  readonly variant: string;
  readonly baseVariant: string;
}

/** Stacks with their sums in the window, and in the base window if there is one; or in the traces of two variants. */
export async function listStacks(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  { profileType, service, traceId, spanId }: ProfileSelection,
  windows: { readonly window: Window; readonly base?: Window; readonly arms?: ArmSelection },
  signal: AbortSignal,
): Promise<{ stacks: Stack[]; samples: number }> {
  const { window, base, arms } = windows;
  const sawVariant = (parameter: string) =>
    arms === undefined
      ? ''
      : ` AND trace_id IN (SELECT trace_id FROM flag_events WHERE ${inScope(scope)} AND ${inWindow()} AND flag = {flag:String}
          AND variant = {${parameter}:String} AND tracked AND trace_id != toFixedString('', 16))`;
  const isInWindow = `(${inWindow()}${sawVariant('variant')})`;
  const isInBase = base === undefined ? 'false' : `(${inWindow('time', 'base_')}${sawVariant('base_variant')})`;
  const conditions = [
    inScope(scope),
    'profile_type = {profile_type:String}',
    `(${isInWindow} OR ${isInBase})`,
    ...(service === undefined ? [] : ['service = {service:String}']),
    ...(traceId === undefined ? [] : ['trace_id = toFixedString(unhex({trace_id:String}), 16)']),
    ...(spanId === undefined ? [] : ['span_id = toFixedString(unhex({span_id:String}), 8)']),
  ];
  const key = 'project, environment, stack_id';
  // A stack is described on each day on which it occurs, so the days of the samples contain it.
  const rows = await telemetry.rows<Row>(
    scope,
    `WITH sums AS (
       SELECT ${key}, sumIf(value, ${isInWindow}) AS in_window, sumIf(value, ${isInBase}) AS in_base, countIf(${isInWindow}) AS samples_in_window,
         min(toDate(time)) AS first_day, max(toDate(time)) AS last_day
       FROM profile_samples WHERE ${conditions.join(' AND ')} GROUP BY ${key})
     SELECT stack.names AS names, stack.files AS files, toFloat64(sums.in_window) AS value, toFloat64(sums.in_base) AS base_value, toFloat64(sums.samples_in_window) AS samples
     FROM sums LEFT JOIN (
       SELECT ${key}, any(frames) AS names, any(files) AS files FROM profile_stacks
       WHERE ${inScope(scope)} AND day >= (SELECT min(first_day) FROM sums) AND day <= (SELECT max(last_day) FROM sums) AND stack_id IN (SELECT stack_id FROM sums)
       GROUP BY ${key}) AS stack USING (${key})`,
    {
      profile_type: profileType,
      service,
      trace_id: traceId,
      span_id: spanId,
      ...windowParameters(window),
      ...(base && windowParameters(base, 'base_')),
      ...(arms && { flag: arms.flag, variant: arms.variant, base_variant: arms.baseVariant }),
    },
    signal,
    { limits: { maxResultBytes: maxStackBytes } },
  );
  return {
    stacks: await mapInSlices(rows, ({ names, files, value, base_value }) => ({
      frames: names.map((name, at) => ({ name, file: files[at] ?? '' })),
      values: base === undefined ? [value] : [value, base_value],
    })),
    samples: rows.reduce((sum, row) => sum + row.samples, 0),
  };
}
