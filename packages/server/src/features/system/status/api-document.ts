import { type AnyRoute, openApi } from '@fanion/contract';

/** In the place of the server's URL, which is known only when the server listens. */
const somewhere = 'http://server.invalid';

/**
 * Builds the API document as JSON text, and returns a function that inserts the server's URL. Building takes more than 100 ms in
 * one piece (loaded machine, November 2026), so it is done before the server listens, and not in the first request for it.
 */
export function buildApiDocument(routes: readonly AnyRoute[], version: string): (serverUrl: string) => string {
  const text = JSON.stringify(openApi(routes, { version, serverUrl: somewhere }));
  const [before = '', after = ''] = text.split(JSON.stringify(somewhere), 2);
  return (serverUrl) => before + JSON.stringify(serverUrl) + after;
}
