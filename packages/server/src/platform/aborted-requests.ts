import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';

const ignore = () => {
  // The reader of the answer has the error, or has all of the answer.
};

let isWatching = false;

/**
 * Keeps aborted requests from ending the process. When a request is aborted while the last bytes of its answer are read, Node emits the
 * error on a socket that it has just stopped listening to (`responseKeepAlive` in `lib/_http_client.js`, Node 20.20). So each socket of an HTTP
 * client in this thread gets a listener of its own, including those that libraries open.
 */
export function surviveAbortedRequests(): void {
  if (isWatching) return;
  isWatching = true;
  subscribe('http.client.request.start', (message) => {
    const { socket } = (message as { readonly request: ClientRequest }).request; // what Node documents for this channel
    if (socket !== null && !socket.listeners('error').includes(ignore)) socket.on('error', ignore);
  });
}
