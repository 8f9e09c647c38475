/** The steps that stop what was started, in start order. */
export interface Stops {
  add(...steps: readonly (() => unknown)[]): void;
  /** Runs every step once, in reverse order. */
  run(): Promise<void>;
}

export function createStops(): Stops {
  const steps: (() => unknown)[] = [];
  return {
    add: (...more) => void steps.push(...more),
    async run() {
      for (const step of steps.splice(0).reverse()) await step();
    },
  };
}
