/** What is wrong with a TraceQL query. */
export class TraceqlError extends Error {}

export function unsupported(feature: string): TraceqlError {
  return new TraceqlError(`${feature} is not supported`);
}
