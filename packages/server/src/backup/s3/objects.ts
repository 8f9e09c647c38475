import { createHash } from 'node:crypto';
import type { S3Answer, S3Client, S3Request } from './client.ts';
import { S3Failure } from './failure.ts';
import { elementsOf, escaped, textOf } from './xml.ts';

/** Requests that delete several objects take so many. */
const DELETED_TOGETHER = 1_000;

/** The operations on a bucket that backups need. All of them retry. */
export interface S3Objects {
  put(key: string, body: Buffer, about: PutAbout): Promise<void>;
  /** Undefined: it does not exist. */
  getText(key: string): Promise<string | undefined>;
  /** Undefined: it does not exist. */
  head(key: string): Promise<S3Answer['headers'] | undefined>;
  /** Everything below a prefix. */
  list(prefix: string): Promise<{ key: string; bytes: number }[]>;
  /** The folders directly below a prefix, with a slash at their ends. */
  listFolders(prefix: string): Promise<string[]>;
  remove(keys: readonly string[]): Promise<void>;
  createUpload(key: string): Promise<string>;
  /** @returns what completes the upload together with the number of the part */
  putPart(part: { key: string; upload: string; number: number }, body: Buffer, sha256: string): Promise<string>;
  /** @param tags of its parts, in order */
  completeUpload(key: string, upload: string, tags: readonly string[]): Promise<void>;
  /** Ends the unfinished uploads below a prefix, whose parts are paid for. */
  abortUploads(prefix: string): Promise<void>;
}

interface PutAbout {
  readonly sha256?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

type Send = (request: S3Request) => Promise<S3Answer>;

export function createS3Objects(client: S3Client, signal: AbortSignal): S3Objects {
  const send = (request: S3Request) => client.send(request, signal);

  return {
    async put(key, body, { sha256, metadata = {} }) {
      const headers = Object.fromEntries(
        Object.entries(metadata).map(([name, value]) => [`x-amz-meta-${name}`, value]),
      );
      await send({ method: 'PUT', key, headers, body, ...(sha256 === undefined ? {} : { sha256 }) });
    },
    getText: (key) => orMissing(send({ method: 'GET', key }).then(({ text }) => text)),
    head: (key) => orMissing(send({ method: 'HEAD', key }).then(({ headers }) => headers)),
    async list(prefix) {
      const contents = (await pages(send, { prefix })).flatMap((page) => elementsOf(page, 'Contents'));
      return contents.map((content) => ({ key: required(content, 'Key'), bytes: Number(required(content, 'Size')) }));
    },
    async listFolders(prefix) {
      const found = await pages(send, { prefix, delimiter: '/' });
      return found.flatMap((page) => elementsOf(page, 'CommonPrefixes')).map((folder) => required(folder, 'Prefix'));
    },
    async remove(keys) {
      for (let at = 0; at < keys.length; at += DELETED_TOGETHER)
        await removeSome(send, keys.slice(at, at + DELETED_TOGETHER));
    },
    async createUpload(key) {
      return required((await send({ method: 'POST', key, query: { uploads: '' } })).text, 'UploadId');
    },
    async putPart({ key, upload, number }, body, sha256) {
      const query = { partNumber: String(number), uploadId: upload };
      const { headers } = await send({ method: 'PUT', key, query, body, sha256 });
      if (headers.etag === undefined) throw failure('the answer to a part has no ETag', '');
      return headers.etag;
    },
    async completeUpload(key, upload, tags) {
      const parts = tags.map(
        (tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
      );
      const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
      try {
        await send({ method: 'POST', key, query: { uploadId: upload }, body });
      } catch (error) {
        // An earlier attempt whose answer was lost has completed it.
        if (!(isMissing(error) && (await this.head(key)) !== undefined)) throw error;
      }
    },
    async abortUploads(prefix) {
      const found = await send({ method: 'GET', key: '', query: { uploads: '', prefix } }).catch((error: unknown) => {
        // Servers that do not list uploads end them by a rule of the bucket, if at all.
        if (error instanceof S3Failure && error.code === 'NotImplemented') return { text: '' };
        throw error;
      });
      for (const upload of elementsOf(found.text, 'Upload')) {
        const [key, uploadId] = [required(upload, 'Key'), required(upload, 'UploadId')];
        if (key.startsWith(prefix)) await orMissing(send({ method: 'DELETE', key, query: { uploadId } }));
      }
      if (textOf(found.text, 'IsTruncated') === 'true') await this.abortUploads(prefix);
    },
  };
}

async function pages(send: Send, query: Readonly<Record<string, string>>): Promise<string[]> {
  const found: string[] = [];
  for (let token: string | undefined; ; ) {
    const more: S3Request['query'] = token === undefined ? {} : { 'continuation-token': token };
    const { text } = await send({ method: 'GET', key: '', query: { 'list-type': '2', ...query, ...more } });
    found.push(text);
    token = textOf(text, 'IsTruncated') === 'true' ? textOf(text, 'NextContinuationToken') : undefined;
    if (token === undefined) return found;
  }
}

async function removeSome(send: Send, keys: readonly string[]): Promise<void> {
  const objects = keys.map((key) => `<Object><Key>${escaped(key)}</Key></Object>`).join('');
  const body = Buffer.from(`<Delete><Quiet>true</Quiet>${objects}</Delete>`);
  const headers = { 'content-md5': createHash('md5').update(body).digest('base64') };
  const { text } = await send({ method: 'POST', key: '', query: { delete: '' }, headers, body });
  const code = textOf(text, 'Code');
  if (code !== undefined) throw failure(`objects cannot be deleted: ${code.slice(0, 64)}`, code);
}

function failure(message: string, code: string): S3Failure {
  return new S3Failure(message, { code, isTemporary: false });
}

function isMissing(error: unknown): boolean {
  return error instanceof S3Failure && ['NoSuchKey', 'NoSuchUpload', '404'].includes(error.code);
}

async function orMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function required(xml: string, name: string): string {
  const text = textOf(xml, name);
  if (text === undefined) throw failure(`an answer has no ${name}`, '');
  return text;
}
