import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface S3Account {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

/** Apart from this, a request's and a server's clocks may differ. */
const SKEW_MS = 15 * 60_000;

/**
 * Judges a request as S3 does, from the specification and not from the client's library.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 * @returns the code of the error; undefined: it is signed by the account
 */
export function refusalOf(request: IncomingMessage, body: Buffer, account: S3Account, now: number): string | undefined {
  const { method = '', url = '', headers } = request;
  const parsed =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    );
  if (parsed === null) return 'AccessDenied';
  const [, id = '', day = '', region = '', names = '', signature = ''] = parsed;
  const at = String(headers['x-amz-date']);
  const sha256 = String(headers['x-amz-content-sha256']);
  if (id !== account.accessKeyId) return 'InvalidAccessKeyId';
  if (region !== account.region) return 'AuthorizationHeaderMalformed';
  if (!at.startsWith(day) || Math.abs(timeOf(at) - now) > SKEW_MS) return 'RequestTimeTooSkewed';
  if (sha256 !== createHash('sha256').update(body).digest('hex')) return 'XAmzContentSHA256Mismatch';
  const required = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))];
  if (required.some((name) => !names.split(';').includes(name))) return 'AccessDenied';

  const [path = '', query = ''] = url.split('?');
  const pairs = query.split('&').filter((pair) => pair !== '');
  const canonical = [
    ...[
      method,
      path,
      pairs
        .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
        .sort()
        .join('&'),
    ],
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    ...['', names, sha256],
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', at, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${account.secretAccessKey}`,
  );
  return createHmac('sha256', key).update(toSign).digest('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}

function timeOf(stamp: string): number {
  return Date.parse(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}
