/** A query that is not valid, or uses what is not supported; the message is for the user. */
export class LogqlError extends Error {
  override readonly name = 'LogqlError';
}
