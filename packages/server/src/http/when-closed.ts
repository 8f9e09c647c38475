import type { ServerResponse } from 'node:http';

/**
 * Calls back once when an answer has ended or its connection has broken. That may have been before, while the caller was looked
 * up: `close` does not come again then, and whatever waited for it would be kept for ever.
 */
export function whenClosed(response: Pick<ServerResponse, 'destroyed' | 'once'>, then: () => void): void {
  if (response.destroyed) then();
  else response.once('close', then);
}
