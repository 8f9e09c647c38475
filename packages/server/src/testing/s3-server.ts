import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { elementsOf, escaped, textOf } from '../backup/s3/xml.ts';
import { refusalOf, type S3Account } from './s3-signature.ts';

/** A request, as faults see it. */
export interface S3Call {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
}

/** What happens to a request instead of an answer. */
export type S3Fault =
  | { readonly status: number; readonly code: string }
  /** The connection ends, before the answer or after so many bytes of it. */
  | { readonly cutAfter: number };

interface StoredObject {
  body: Buffer;
  readonly metadata: Readonly<Record<string, string>>;
}

interface Upload {
  readonly key: string;
  readonly parts: Map<number, Buffer>;
}

export interface S3Server {
  readonly endpoint: string;
  readonly account: S3Account;
  readonly bucket: string;
  readonly objects: Map<string, StoredObject>;
  /** Unfinished ones. */
  readonly uploads: Map<string, Upload>;
  /** Of its clock against that of this machine. */
  aheadMs: number;
  /** Judges each request that is signed well. */
  fault: (call: S3Call) => S3Fault | undefined | Promise<S3Fault | undefined>;
  /** No answer any more, on this port or a connection. */
  vanish(): Promise<void>;
  /** Back on the same port. */
  comeBack(): Promise<void>;
}

/** Small, so that tests have several pages. */
const PAGE = 50;
const LEAST_PART = 5 * 1024 ** 2;

class Refused extends Error {
  readonly status: number;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
  }
}

/**
 * An S3 server with one bucket in memory, which verifies signatures and bodies. It has what backups use, and answers as AWS documents it:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
 */
export async function startS3Server(): Promise<S3Server> {
  const account = {
    accessKeyId: 'AKIATESTTESTTEST',
    secretAccessKey: 'a-secret-that-no-message-has',
    region: 'eu-test-1',
  };
  const http = createServer((request, response) => void answer(server, request, response));
  const listen = async (port: number) => {
    http.listen(port, '127.0.0.1');
    await once(http, 'listening');
  };
  await listen(0);
  const { port } = http.address() as AddressInfo;
  const server: S3Server = {
    ...{ account, bucket: 'backups', objects: new Map(), uploads: new Map(), aheadMs: 0, fault: () => undefined },
    endpoint: `http://127.0.0.1:${port}`,
    async vanish() {
      if (!http.listening) return;
      const closed = once(http, 'close');
      http.close();
      http.closeAllConnections();
      await closed;
    },
    comeBack: () => listen(port),
  };
  return server;
}

async function answer(server: S3Server, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    await handle(server, request, Buffer.concat(chunks), response);
  } catch (error) {
    const status = error instanceof Refused ? error.status : 500;
    const code = error instanceof Refused ? error.message : 'InternalError';
    // What a real answer repeats, too.
    const said = `<Message>${server.account.secretAccessKey}</Message><StringToSign>${request.headers.authorization}</StringToSign>`;
    response.writeHead(status).end(request.method === 'HEAD' ? '' : `<Error><Code>${code}</Code>${said}</Error>`);
  }
}

async function handle(
  server: S3Server,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  const refusal = refusalOf(request, body, server.account, Date.now() + server.aheadMs);
  if (refusal !== undefined) throw new Refused(403, refusal);
  const url = new URL(request.url ?? '', server.endpoint);
  const [, bucket = '', ...rest] = decodeURIComponent(url.pathname).split('/');
  if (bucket !== server.bucket) throw new Refused(404, 'NoSuchBucket');
  const call = { method: request.method ?? '', key: rest.join('/'), query: url.searchParams };
  const fault = await server.fault(call);
  // Its client has gone while it waited.
  if (request.socket.destroyed) throw new Refused(499, 'Gone');
  if (fault !== undefined && 'status' in fault) throw new Refused(fault.status, fault.code);
  const { headers = {}, body: sent = '', status = 200 } = operate(server, call, request, body);
  const bytes = Buffer.from(sent);
  response.writeHead(status, { 'content-length': bytes.length, ...headers });
  if (fault === undefined) response.end(call.method === 'HEAD' ? '' : bytes);
  else if (fault.cutAfter === 0) response.socket?.destroy();
  else response.write(bytes.subarray(0, fault.cutAfter), () => response.socket?.destroy());
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

function operate(server: S3Server, call: S3Call, request: IncomingMessage, body: Buffer): Answer {
  const { method, key, query } = call;
  if (key === '') return ofBucket(server, call, request, body);
  if (method === 'POST' || query.has('uploadId')) return ofUpload(server, call, body);
  if (method === 'PUT') {
    const metadata = Object.entries(request.headers).filter(([name]) => name.startsWith('x-amz-meta-'));
    server.objects.set(key, { body, metadata: Object.fromEntries(metadata) as Record<string, string> });
    return { headers: { etag: etagOf(body) } };
  }
  const object = server.objects.get(key);
  if (object === undefined) throw new Refused(404, 'NoSuchKey');
  const headers = { etag: etagOf(object.body), ...object.metadata };
  if (request.headers['if-match'] !== undefined && request.headers['if-match'] !== headers.etag)
    throw new Refused(412, 'PreconditionFailed');
  const from = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1];
  if (from === undefined) return { headers, body: object.body };
  return { status: 206, headers, body: object.body.subarray(Number(from)) };
}

function ofBucket(
  { objects, uploads }: S3Server,
  { method, query }: S3Call,
  request: IncomingMessage,
  body: Buffer,
): Answer {
  if (method === 'POST' && query.has('delete')) {
    if (request.headers['content-md5'] !== createHash('md5').update(body).digest('base64'))
      throw new Refused(400, 'BadDigest');
    const keys = elementsOf(body.toString(), 'Object').map((object) => textOf(object, 'Key') ?? '');
    if (keys.length === 0 || keys.length > 1_000) throw new Refused(400, 'MalformedXML');
    for (const key of keys) objects.delete(key);
    return { body: '<DeleteResult/>' };
  }
  const prefix = query.get('prefix') ?? '';
  if (query.has('uploads')) {
    const found = [...uploads].filter(([, { key }]) => key.startsWith(prefix));
    const listed = found.map(
      ([id, { key }]) => `<Upload><Key>${escaped(key)}</Key><UploadId>${id}</UploadId></Upload>`,
    );
    return { body: `<R>${listed.slice(0, 2).join('')}<IsTruncated>${listed.length > 2}</IsTruncated></R>` };
  }
  const isFolder = query.get('delimiter') === '/';
  const names = [...objects.keys()]
    .filter((key) => key.startsWith(prefix))
    .map((key) => (isFolder ? key.slice(0, key.indexOf('/', prefix.length) + 1 || undefined) : key));
  const after = query.get('continuation-token') ?? '';
  const left = [...new Set(names)].filter((name) => name > after).sort();
  const page = left.slice(0, PAGE);
  const listed = page.map((name) =>
    isFolder && name.endsWith('/')
      ? `<CommonPrefixes><Prefix>${escaped(name)}</Prefix></CommonPrefixes>`
      : `<Contents><Key>${escaped(name)}</Key><Size>${objects.get(name)?.body.length}</Size></Contents>`,
  );
  const next = left.length > PAGE ? `<NextContinuationToken>${escaped(page.at(-1) ?? '')}</NextContinuationToken>` : '';
  return { body: `<R><IsTruncated>${next !== ''}</IsTruncated>${next}${listed.join('')}</R>` };
}

function ofUpload({ objects, uploads }: S3Server, { method, key, query }: S3Call, body: Buffer): Answer {
  if (query.has('uploads')) {
    const id = `upload-${uploads.size + Math.random()}`;
    uploads.set(id, { key, parts: new Map() });
    return { body: `<R><UploadId>${id}</UploadId></R>` };
  }
  const id = query.get('uploadId') ?? '';
  const upload = uploads.get(id);
  if (upload === undefined) throw new Refused(404, 'NoSuchUpload');
  if (method === 'DELETE') uploads.delete(id);
  if (method === 'PUT') {
    upload.parts.set(Number(query.get('partNumber')), body);
    return { headers: { etag: etagOf(body) } };
  }
  if (method !== 'POST') return { status: 204 };
  const parts = elementsOf(body.toString(), 'Part').map((part) => {
    const stored = upload.parts.get(Number(textOf(part, 'PartNumber')));
    if (stored === undefined || etagOf(stored) !== textOf(part, 'ETag')) throw new Refused(400, 'InvalidPart');
    return stored;
  });
  if (parts.slice(0, -1).some((part) => part.length < LEAST_PART)) throw new Refused(400, 'EntityTooSmall');
  objects.set(key, { body: Buffer.concat(parts), metadata: {} });
  uploads.delete(id);
  return { body: '<CompleteMultipartUploadResult/>' };
}

function etagOf(body: Buffer): string {
  return `"${createHash('md5').update(body).digest('hex')}"`;
}
