import type { DashboardVariable, VariableValue, VariableValues } from '@fanion/contract';
import type { BoundVariable, VariableScalar } from '@fanion/oql';
import { durationText } from '../../../platform/durations.ts';

/** `isPattern`: people wrote it, so that it may be a pattern where PromQL takes one. */
export type BoundValue = BoundVariable & { readonly isPattern?: true };

/**
 * Time between the points of a metric: OpenTelemetry's SDKs send them every minute. A rate needs some of them:
 * `$__rate_interval` is that of Grafana, the step and one more point, at least four points.
 */
const pointsMs = 60_000;

/** The value that stands for all. */
export const all = '$__all';

const listOf = (value: VariableValue): readonly VariableScalar[] => (Array.isArray(value) ? value : [value]);

/** The chosen values of a variable, or those of its default; undefined: all, or none chosen. */
export function chosenOf(
  { name, default: otherwise }: DashboardVariable,
  values: VariableValues,
): readonly VariableScalar[] | undefined {
  const chosen = Object.hasOwn(values, name) ? values[name] : otherwise;
  if (chosen === undefined) return undefined;
  const list = listOf(chosen).filter((value) => value !== '');
  return list.length === 0 || list.includes(all) ? undefined : list;
}

/**
 * What the variables of a dashboard stand for in its queries. `$__interval` is the width that divides the window into about
 * a hundred steps, `$__range` the length of the window, `$__rate_interval` a range that has points for a rate.
 */
export function boundVariables(
  definitions: readonly DashboardVariable[],
  values: VariableValues,
  { rangeMs, stepMs }: { readonly rangeMs: number; readonly stepMs: number },
): ReadonlyMap<string, BoundValue> {
  const inSeconds = (ms: number) => durationText(Math.max(1_000, Math.round(ms / 1_000) * 1_000));
  const number = (value: number): BoundValue => ({ kind: 'values', values: [Math.round(value)] });
  const bound = new Map<string, BoundValue>([
    ['__interval', { kind: 'duration', text: inSeconds(stepMs) }],
    ['__range', { kind: 'duration', text: inSeconds(rangeMs) }],
    ['__rate_interval', { kind: 'duration', text: inSeconds(Math.max(stepMs + pointsMs, 4 * pointsMs)) }],
    ['__interval_ms', number(stepMs)],
    ['__range_ms', number(rangeMs)],
    ['__range_s', number(rangeMs / 1_000)],
  ]);
  for (const definition of definitions) {
    const chosen = chosenOf(definition, values);
    bound.set(
      definition.name,
      chosen === undefined
        ? { kind: 'any' }
        : definition.type === 'interval'
          ? { kind: 'duration', text: String(chosen[0]) }
          : {
              kind: 'values',
              values: chosen,
              ...((definition.type === 'text' || definition.type === 'list') && { isPattern: true }),
            },
    );
  }
  return bound;
}

/** The place that the variables of the types `project` and `environment` narrow panels to. */
export function placeOf(
  definitions: readonly DashboardVariable[],
  values: VariableValues,
): { readonly project: string | undefined; readonly environment: string | undefined } {
  const named = (type: DashboardVariable['type']) => {
    const definition = definitions.find((one) => one.type === type);
    const [first] = (definition && chosenOf(definition, values)) ?? [];
    return first === undefined ? undefined : String(first);
  };
  return { project: named('project'), environment: named('environment') };
}
