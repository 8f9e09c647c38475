import type { OwnMetric } from '../self-telemetry/index.ts';

type Labels = Readonly<Record<string, string>>;

/** Figures of this server, read from its own metrics. */
export interface Figures {
  /** The sum of the samples with these labels; 0 without any. */
  sum(name: string, labels?: Labels): number;
  /** The value of a gauge; undefined: it has no sample. */
  value(name: string): number | undefined;
  /** The mean of what a histogram has observed; undefined: nothing. */
  mean(name: string): number | undefined;
  /** Each sample of a counter that is not 0. */
  each(name: string): readonly { readonly labels: Labels; readonly value: number }[];
}

export function figuresOf(metrics: readonly OwnMetric[]): Figures {
  const byName = new Map(metrics.map((metric) => [metric.name, metric.values]));
  const samples = (name: string, labels: Labels = {}) =>
    (byName.get(name) ?? []).filter((one) =>
      Object.entries(labels).every(([label, value]) => one.labels[label] === value),
    );
  const add = (values: readonly { readonly value: number }[]) => values.reduce((sum, { value }) => sum + value, 0);
  return {
    sum: (name, labels) => add(samples(name, labels)),
    value: (name) => samples(name)[0]?.value,
    mean(name) {
      const part = (suffix: string) =>
        add(samples(name).filter(({ metricName }) => metricName === `${name}_${suffix}`));
      const count = part('count');
      return count === 0 ? undefined : part('sum') / count;
    },
    each: (name) =>
      samples(name)
        .filter(({ value }) => value !== 0)
        .map(({ labels, value }) => ({
          labels: Object.fromEntries(Object.entries(labels).map(([label, text]) => [label, String(text)])),
          value,
        })),
  };
}
