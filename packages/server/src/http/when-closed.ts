import type { ServerResponse } from 'node:http';

/**
 * Calls back once when a response has ended or its connection has broken. This may have happened before, during the lookup
 * of the caller: then `close` is not emitted again, and its waiters would leak.
 */
export function whenClosed(response: Pick<ServerResponse, 'destroyed' | 'once'>, then: () => void): void {
  if (response.destroyed) then();
  else response.once('close', then);
}
