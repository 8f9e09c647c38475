import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isOneLine } from '@fanion/contract';
import { networkErrorText } from '../network-error.ts';
import { createAddressCheck } from './addresses.ts';
import { createLookup, type Lookup } from './lookup.ts';
import type { EgressSettings } from './settings.ts';

export type OutgoingRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** How much of the answer is read; otherwise `answerBytes` of the options. */
  readonly answerBytes?: number;
} & ({ readonly method: 'GET' } | { readonly method: 'POST' | 'PUT'; readonly body: string });

export interface EgressAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The first bytes of the body. */
  readonly body: Buffer;
  /** Whether that is the whole body, or why the rest was not read. */
  readonly end: 'complete' | 'too large' | 'too slow' | 'broken';
}

/** No answer came. `refused`: the address is not allowed, so that no attempt can succeed. */
export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly refused: boolean;
  constructor(message: string, { refused, cause }: { refused: boolean; cause?: unknown }) {
    super(message, { cause });
    this.refused = refused;
  }
}

/** The only way out for requests to addresses that users give. */
export interface Egress {
  /** Why an address can never be reached, as far as that shows without asking DNS. */
  refusal(url: string): string | undefined;
  /** Sends one request; throws `EgressError` when no answer comes. Redirects are answers, and are not followed. */
  send(request: OutgoingRequest, signal: AbortSignal): Promise<EgressAnswer>;
}

export interface EgressOptions extends EgressSettings {
  readonly lookup?: Lookup;
}

type CheckAddress = ReturnType<typeof createAddressCheck>;

/**
 * Every connection goes to an address that was checked: a name is looked up once, by the socket itself, and the socket
 * gets only those of its addresses that may be reached. So a name whose address changes between a check and the
 * connection (DNS rebinding) gains nothing.
 */
export function createEgress({ allow, timeoutMs, answerBytes, lookup = createLookup() }: EgressOptions): Egress {
  const checkAddress = createAddressCheck(allow);

  return {
    refusal: (text) => refusal(checkAddress, text),
    async send(outgoing, signal) {
      const { url: text, method, headers } = outgoing;
      const body = outgoing.method === 'GET' ? undefined : outgoing.body;
      const why = refusal(checkAddress, text);
      if (why !== undefined) throw new EgressError(why, { refused: true });
      const url = new URL(text);
      const deadline = AbortSignal.timeout(timeoutMs);
      const failed = (error: unknown) => {
        if (error instanceof EgressError) return error;
        if (deadline.aborted)
          return new EgressError(`no answer within ${timeoutMs / 1_000} s`, { refused: false, cause: error });
        return new EgressError(networkErrorText(error), { refused: false, cause: error });
      };
      return new Promise<EgressAnswer>((resolve, reject) => {
        // An own connection without an agent: nothing of the environment can put a proxy in between.
        const request = (url.protocol === 'https:' ? requestHttps : requestHttp)({
          agent: false,
          host: hostOf(url),
          port: url.port,
          path: url.pathname + url.search,
          method,
          headers: {
            'user-agent': 'Fanion',
            ...headers,
            host: url.host,
            ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
          },
          lookup: checkedLookup(lookup, checkAddress),
          signal: AbortSignal.any([signal, deadline]),
        });
        let answered = false;
        request.on('error', (error) => {
          // After that, the status counts, whatever becomes of the body.
          if (!answered) reject(failed(error));
        });
        request.on('response', (response) => {
          answered = true;
          void readStart(response, outgoing.answerBytes ?? answerBytes, deadline).then((start) => {
            resolve({ status: response.statusCode ?? 0, headers: response.headers, ...start });
            request.destroy();
          });
        });
        request.end(body);
      }).catch((error: unknown) => {
        throw failed(error);
      });
    },
  };
}

/** The start of a body. One that breaks off or never ends is cut: its status has said what the receiver decided. */
async function readStart(
  response: IncomingMessage,
  bytes: number,
  deadline: AbortSignal,
): Promise<Pick<EgressAnswer, 'body' | 'end'>> {
  const chunks: Buffer[] = [];
  const ended = (end: EgressAnswer['end']) => ({ body: Buffer.concat(chunks), end });
  let left = bytes;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, left));
      left -= chunk.length;
      if (left < 0) return ended('too large');
    }
  } catch {
    return ended(deadline.aborted ? 'too slow' : 'broken');
  }
  return ended('complete');
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function notAllowed(why: string): string {
  return `the address is not allowed: ${why} (FANION_EGRESS_ALLOW opens ranges)`;
}

function refusal(checkAddress: CheckAddress, text: string): string | undefined {
  if (!URL.canParse(text)) return 'the address is not a URL';
  // The parser leaves them out, so that another address would be reached than the one that is shown.
  if (!isOneLine(text)) return 'the address contains a line break or another control character';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return `unsupported protocol ${url.protocol} use http or https`;
  if (url.username !== '' || url.password !== '') return 'the address contains a user name or password';
  const host = hostOf(url);
  const why = isIP(host) === 0 ? undefined : checkAddress(host);
  return why === undefined ? undefined : notAllowed(why);
}

/** Gives a socket only those addresses of a name that may be reached. */
function checkedLookup(lookup: Lookup, checkAddress: CheckAddress): LookupFunction {
  return (hostname, { all }, done) => {
    lookup(hostname).then(
      (addresses) => {
        const allowed = addresses.filter((address) => checkAddress(address) === undefined);
        const [first] = allowed;
        if (first === undefined) {
          const why = checkAddress(addresses[0] ?? '') ?? 'no address';
          done(new EgressError(notAllowed(`${hostname}: ${why}`), { refused: true }), '');
        } else if (all)
          done(
            null,
            allowed.map((address) => ({ address, family: isIP(address) })),
          );
        else done(null, first, isIP(first));
      },
      (error: Error) =>
        done(new EgressError(`${hostname} was not found: ${networkErrorText(error)}`, { refused: false }), ''),
    );
  };
}
