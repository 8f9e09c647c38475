import { ApiError } from '@fanion/contract';

export interface DescribedError {
  title: string;
  message: string;
  /** Registry code such as `SVC-3006`; absent for errors of the page itself. */
  code?: string;
  /** What the reader can do about it. */
  advice: string;
}

/** What browsers and Vite say if a part of the application cannot be loaded. */
const MISSING_CHUNK =
  /Unable to preload CSS|dynamically imported module|Importing a module script failed|error loading dynamically/i;

/** Whether a part of the application could not be loaded: the server is away, or was upgraded and has other parts now. */
export function isMissingChunk(error: unknown): boolean {
  return error instanceof Error && MISSING_CHUNK.test(error.message);
}

/** Describes any thrown value: what happened, its code, and what to do next. */
export function describeError(error: unknown): DescribedError {
  if (isMissingChunk(error))
    return {
      title: 'This page could not be loaded',
      message: 'The server did not send a part of the application.',
      advice: 'The page opens as soon as the server answers again.',
    };
  if (!(error instanceof ApiError)) {
    return {
      title: 'Something went wrong on this page',
      message: error instanceof Error ? error.message : String(error),
      advice: 'Reload the page. If it happens again, please report it.',
    };
  }
  // The server's words are for API clients: which header to send.
  if (error.code === 'SVC-2001')
    return {
      code: error.code,
      title: 'Your session ended',
      message: 'Your session ended. Sign in, then try again.',
      advice: 'What you entered on this page is kept.',
    };
  return { message: sentence(error.message), code: error.code, ...describeStatus(error) };
}

function describeStatus({ status, retryAfterSeconds }: ApiError): Pick<DescribedError, 'title' | 'advice'> {
  if (status === 429)
    return { title: 'Too many requests', advice: `Wait ${retryAfterSeconds ?? 'a few'} seconds, then try again.` };
  return (
    BY_STATUS.get(status) ?? {
      title: 'Server error',
      advice: 'Try again; the server log has the details under the request id.',
    }
  );
}

const INVALID = { title: 'The input is not valid', advice: 'Correct it and try again.' };
/** By HTTP status; 0 if there was no response. */
const BY_STATUS: ReadonlyMap<number, Pick<DescribedError, 'title' | 'advice'>> = new Map([
  [
    0,
    {
      title: 'The server cannot be reached',
      advice: 'Check that it is running and that the network is up, then try again.',
    },
  ],
  [400, INVALID],
  [401, { title: 'You are not signed in', advice: 'Sign in to continue.' }],
  [403, { title: 'Not allowed', advice: 'An owner or admin of the workspace can give you this permission.' }],
  [404, { title: 'Not found', advice: 'It may have been deleted, or it belongs to another workspace or project.' }],
  [409, { title: 'Conflict', advice: 'Reload the current state and repeat the change.' }],
  [413, { title: 'Too large', advice: 'Send a smaller request.' }],
  [422, INVALID],
  [
    503,
    {
      title: 'Temporarily unavailable',
      advice: 'The server is starting or stopping, or a store is down. It usually recovers by itself.',
    },
  ],
]);

/** Capitalizes the first letter and adds a final period. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  const capital = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?…]$/.test(capital) ? capital : `${capital}.`;
}

/** Whether a retry of the same request can help. */
export function isRetryable(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
}
