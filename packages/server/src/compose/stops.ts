/** What has to be ended, in the order in which it was started. */
export interface Stops {
  add(...steps: readonly (() => unknown)[]): void;
  /** Ends everything once, the last first. */
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
