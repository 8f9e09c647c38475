import { Counter, Gauge, type Registry } from 'prom-client';

export { Counter, Gauge, Histogram, Registry } from 'prom-client';

export type Labeled = readonly [labels: Readonly<Record<string, string>>, value: number];

/** A number that a component counts or holds anyway, and that is read when somebody asks for the metrics. */
export interface ReadMetric {
  /** Of a name that ends in `_total`: a counter, which only grows until the server starts again. */
  readonly help: string;
  readonly labels?: readonly string[];
  /** A number, or one for each combination of the labels. */
  readonly read: () => number | readonly Labeled[];
}

/** Declares metrics by their names, which follow the conventions of Prometheus: base units, and `_total` for counters. */
export function readMetrics(registry: Registry, metrics: Readonly<Record<string, ReadMetric>>): void {
  for (const [name, { help, labels = [], read }] of Object.entries(metrics)) {
    const set = (add: (labels: Readonly<Record<string, string>>, value: number) => void) => {
      const now = read();
      for (const [of, value] of typeof now === 'number' ? [[{}, now] as const] : now) add(of, value);
    };
    const shared = { name, help, labelNames: labels, registers: [registry] };
    if (name.endsWith('_total'))
      new Counter({
        ...shared,
        collect() {
          this.reset();
          set((of, value) => this.inc(of, value));
        },
      });
    else
      new Gauge({
        ...shared,
        collect() {
          this.reset();
          set((of, value) => this.set(of, value));
        },
      });
  }
}

/** The entries of a record as the values of one label. */
export function byLabel<Of extends string>(label: string, values: Readonly<Record<Of, number>>): Labeled[] {
  return Object.entries<number>(values).map(([name, value]) => [{ [label]: name }, value]);
}
