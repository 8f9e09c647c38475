import type { Rollout, Serve } from '@fanion/flag-engine';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const stepsMs = [10 * second, minute, 5 * minute, 15 * minute, hour, 6 * hour, 24 * hour] as const;
const mostSteps = 120;

/** The width of the steps of a chart. */
export function stepOf(windowMs: number): number {
  const found = stepsMs.find((ms) => windowMs / ms <= mostSteps);
  return found ?? Math.ceil(windowMs / mostSteps / (24 * hour)) * 24 * hour;
}

/** The shares of the variants that everyone else gets, and those of the tracked split, as weights. */
export interface Intended {
  readonly shares: Readonly<Record<string, number>>;
  /** Undefined: nothing is tracked. */
  readonly tracked: Readonly<Record<string, number>> | undefined;
}

export function intendedOf(serve: Serve, audience?: Rollout): Intended {
  // How many units belong to the audience is not known, so no share of all units is intended.
  if (audience !== undefined) return { shares: {}, tracked: intendedOf({ rollout: audience }).tracked };
  if ('variant' in serve) return { shares: serve.variant === null ? {} : { [serve.variant]: 1 }, tracked: undefined };
  const { weights, tracked } = serve.rollout;
  const add = (parts: typeof weights) => {
    const sums: Record<string, number> = {};
    for (const { variant, weight } of parts) if (weight > 0) sums[variant] = (sums[variant] ?? 0) + weight / 100_000;
    return sums;
  };
  const measured = add(weights.filter(({ untracked }) => untracked !== true));
  return {
    shares: add(weights),
    tracked: tracked === true && Object.keys(measured).length > 1 ? measured : undefined,
  };
}

/** Why there are no units, with what to do; null if there are some. */
export function noteOf({
  evaluations,
  units,
}: {
  readonly evaluations: number;
  readonly units: number;
}): string | null {
  if (units > 0) return null;
  const report =
    'A bulk evaluation (what web clients ask for) exposes nobody until the client reports that it used the flag. Register the OpenTelemetry hook of OpenFeature, for example in Node: ' +
    "import { TracingHook } from '@openfeature/open-telemetry-hooks'; OpenFeature.addHooks(new TracingHook());";
  return evaluations === 0
    ? `No evaluation of this flag arrived in this window. ${report}`
    : `Evaluations were counted, but none says for which unit: send a targetingKey. ${report}`;
}
