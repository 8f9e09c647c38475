/** Long work that yields between its steps. `runInSlices` runs it interleaved with other requests. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs all steps at once. */
export function complete<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
