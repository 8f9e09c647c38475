/** Why a request to a bucket failed. The messages have nothing of the answer but its code: its text may repeat what was signed. */
export class S3Failure extends Error {
  override readonly name = 'S3Failure';
  readonly code: string;
  /** A later attempt may succeed. */
  readonly isTemporary: boolean;

  constructor(message: string, about: { readonly code: string; readonly isTemporary: boolean }) {
    super(message);
    this.code = about.code;
    this.isTemporary = about.isTemporary;
  }
}

export interface Refusal {
  readonly status: number;
  /** `NoSuchBucket` and others; empty: the answer had none. */
  readonly code: string;
  /** Of the bucket, where the answer names it. */
  readonly region: string | undefined;
}

/** What was asked, for messages. */
export interface Asked {
  readonly host: string;
  readonly bucket: string;
  readonly method: string;
  readonly key: string;
}

const TEMPORARY = new Set(['SlowDown', 'RequestTimeout', 'InternalError', 'ServiceUnavailable', 'OperationAborted']);
const CREDENTIALS = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'InvalidAccessKey']);
const TOKENS = new Set(['ExpiredToken', 'InvalidToken', 'TokenRefreshRequired']);
const REGIONS = new Set(['PermanentRedirect', 'TemporaryRedirect', 'AuthorizationHeaderMalformed']);

/** https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
export function refusal(answer: Refusal, asked: Asked): S3Failure {
  const { status, code } = answer;
  const isTemporary = TEMPORARY.has(code) || [408, 429].includes(status) || (status >= 500 && status !== 501);
  return new S3Failure(reasonOf(answer, asked), { code: code || String(status), isTemporary });
}

function reasonOf({ status, code, region }: Refusal, { host, bucket, method, key }: Asked): string {
  const what = key === '' ? `the bucket ${bucket}` : key;
  if (code === 'NoSuchBucket') return `the bucket ${bucket} does not exist at ${host}`;
  if (CREDENTIALS.has(code))
    return `${host} rejects the credentials (${code}): check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION`;
  if (TOKENS.has(code)) return `AWS_SESSION_TOKEN has expired or is invalid (${code})`;
  if (code === 'RequestTimeTooSkewed')
    return `the clock of this machine differs too much from that of ${host}: correct it (${code})`;
  if (REGIONS.has(code) || status === 301 || status === 307)
    return `the bucket ${bucket} is in another region${region === undefined ? '' : `, ${region}`}: set AWS_REGION`;
  if (status === 403) return `${host} does not permit ${method} of ${what}: check the permissions of the credentials`;
  if (status === 412) return `${what} has changed while it was read`;
  if (status === 404) return `${what} does not exist at ${host}`;
  return `${host} answered ${status}${code === '' ? '' : ` ${code}`} to ${method} of ${what}`;
}

/** A connection that failed, or an answer that did not come. */
export function noAnswer(error: unknown, host: string): S3Failure {
  const { code, message } = (error instanceof Error ? error : new Error(String(error))) as NodeJS.ErrnoException;
  const isCertificate = /CERT|TLS|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code ?? '');
  return new S3Failure(`${host} cannot be reached: ${code ?? message}`, {
    code: code ?? '',
    isTemporary: !isCertificate,
  });
}
