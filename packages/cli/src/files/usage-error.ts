/** A mistake in how a command was called. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}
