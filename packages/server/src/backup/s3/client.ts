import { createHash } from 'node:crypto';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { AwsV4Signer } from 'aws4fetch';
import { surviveAbortedRequests } from '../../platform/aborted-requests.ts';
import type { Bucket } from '../place.ts';
import { noAnswer, refusal, S3Failure } from './failure.ts';
import { type S3Limits, withRetries } from './retries.ts';
import { textOf } from './xml.ts';

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Empty: the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Of the body, in hexadecimal, where it is known. */
  readonly sha256?: string;
}

export interface S3Answer {
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** Requests of one bucket, signed, with timeouts and retries. */
export interface S3Client {
  send(request: S3Request, signal: AbortSignal): Promise<S3Answer>;
  /** One attempt, whose body the caller reads; its reading throws an `S3Failure`, too. */
  open(
    request: S3Request,
    signal: AbortSignal,
  ): Promise<{ headers: S3Answer['headers']; status: number; body: AsyncIterable<Buffer> }>;
  readonly limits: S3Limits;
  close(): void;
}

/** Requests at the same time. */
export const PARALLEL = 8;
/** Of an answer that is read as a whole: a listing, a manifest. */
const LONGEST_TEXT = 256 * 1024 ** 2;
const EMPTY = Buffer.alloc(0);

interface Connection {
  readonly base: URL;
  readonly agent: HttpAgent;
  readonly access: Bucket['access'];
  readonly limits: S3Limits;
}

export function createS3Client({ bucket, access }: Bucket, limits: S3Limits): S3Client {
  surviveAbortedRequests();
  const base = addressOf(bucket, access);
  const agent = new (base.protocol === 'https:' ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: PARALLEL });
  const connection: Connection = { base, agent, access, limits };
  const { host } = base;

  async function open(asked: S3Request, signal: AbortSignal) {
    const response = await attempt(connection, asked, signal);
    const { statusCode: status = 0, headers } = response;
    const body = chunksOf(response, host);
    if (status >= 200 && status < 300) return { headers, status, body };
    const text = await textFrom(body);
    const region = headers['x-amz-bucket-region'] ?? textOf(text, 'Region');
    throw refusal(
      {
        status,
        code: codeOf(text),
        region: typeof region === 'string' && /^[\w-]+$/.test(region) ? region : undefined,
      },
      { host, bucket, method: asked.method, key: asked.key },
    );
  }

  return {
    limits,
    open,
    send: (asked, signal) =>
      withRetries(
        async () => {
          const { headers, body, status } = await open(asked, signal);
          const text = await textFrom(body);
          // Completing an upload takes so long that an error may come after the status.
          if (/^\s*(<\?xml[^>]*>\s*)?<Error>/.test(text))
            throw refusal(
              { status: 500, code: codeOf(text), region: undefined },
              { host, bucket, method: asked.method, key: asked.key },
            );
          return { headers, text, status };
        },
        { limits, signal },
      ),
    close: () => agent.destroy(),
  };
}

async function attempt(
  { base, agent, access, limits }: Connection,
  asked: S3Request,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { method, body = EMPTY, sha256 = hashOf(body) } = asked;
  const url = new URL(base);
  url.pathname += encoded(asked.key).replaceAll('%2F', '/');
  const query = Object.entries(asked.query ?? {}).map(([name, value]) => `${name}=${encoded(value)}`);
  url.search = query.join('&');
  const headers = { ...asked.headers, 'x-amz-content-sha256': sha256 };
  const { accessKeyId, secretAccessKey, sessionToken, region } = access;
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  const signed = await new AwsV4Signer({
    ...credentials,
    method,
    url: url.href,
    headers,
    region,
    service: 's3',
  }).sign();
  const sent = {
    ...Object.fromEntries(signed.headers),
    ...(method === 'PUT' || method === 'POST' ? { 'content-length': String(body.length) } : {}),
  };
  return new Promise((resolve, reject) => {
    const request = (base.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      method,
      headers: sent,
      agent,
      signal,
    });
    const deadline = setTimeout(
      () => request.destroy(new Error(`no complete answer in ${limits.attemptMs / 1_000} s`)),
      limits.attemptMs,
    );
    request.setTimeout(limits.idleMs, () => request.destroy(new Error(`no answer for ${limits.idleMs / 1_000} s`)));
    request.on('close', () => clearTimeout(deadline));
    request.on('error', (error) => reject(noAnswer(error, base.host)));
    request.on('response', resolve);
    request.end(body);
  });
}

/** AWS by the name of the bucket, unless a dot in it does not fit the certificate; other servers by path, which all of them know. */
function addressOf(bucket: string, { endpoint, region }: Bucket['access']): URL {
  if (endpoint !== undefined) return new URL(`${endpoint}/${bucket}/`);
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return new URL(
    bucket.includes('.') ? `https://s3.${region}.${domain}/${bucket}/` : `https://${bucket}.s3.${region}.${domain}/`,
  );
}

/** As it is signed, by RFC 3986. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function codeOf(text: string): string {
  const code = textOf(text, 'Code') ?? '';
  return /^[A-Za-z0-9]{1,64}$/.test(code) ? code : '';
}

function hashOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex');
}

async function* chunksOf(response: IncomingMessage, host: string): AsyncIterable<Buffer> {
  try {
    yield* response;
  } catch (error) {
    throw noAnswer(error, host);
  }
}

async function textFrom(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > LONGEST_TEXT) throw new S3Failure('an answer is too large', { code: '', isTemporary: false });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
