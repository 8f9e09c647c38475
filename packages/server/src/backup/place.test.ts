import { describe, expect, it } from 'vitest';
import { absolutePlace, placeOf, type S3Settings } from './place.ts';
import { partBytes } from './s3/uploader.ts';

const settings: S3Settings = {
  ...{ accessKeyId: 'an-id', secretAccessKey: 'a-secret', sessionToken: undefined },
  ...{ region: 'eu-central-1', endpointS3: undefined, endpoint: undefined },
};

describe('a place for backups', () => {
  it('is a directory unless it has a scheme', () => {
    expect(placeOf('/mnt/s3:/x', settings)).toEqual({ kind: 'folder', path: '/mnt/s3:/x' });
    expect(absolutePlace('backups')).toBe(`${process.cwd()}/backups`);
  });

  it.each([
    ['s3://bucket', 'bucket', ''],
    ['s3://my.bucket/', 'my.bucket', ''],
    ['S3://bucket/a/b=c/', 'bucket', 'a/b=c'],
  ])('%s is a bucket', (text, bucket, prefix) => {
    expect(placeOf(text, settings)).toMatchObject({ kind: 's3', bucket, prefix });
    expect(absolutePlace(text)).toBe(text);
  });

  it.each([
    ...[
      'gs://bucket',
      's3://',
      's3:///a',
      's3://b',
      's3://an-id:a-secret@bucket/a',
      's3://bucket/a//b',
      's3://bucket/../b',
    ],
    ...['s3://bucket/a b', 's3://bucket/a?b', `s3://bucket/${'x'.repeat(600)}`, 'https://s3.example.com/bucket'],
  ])('rejects %s without repeating it', (text) => {
    expect(() => placeOf(text, settings)).toThrow(
      /^backups go to a directory or to s3:\/\/bucket\/prefix, and this is/,
    );
    expect(() => absolutePlace(text)).toThrow('neither');
  });

  it.each([
    [{ accessKeyId: undefined }, 'AWS_ACCESS_KEY_ID'],
    [{ secretAccessKey: undefined }, 'AWS_SECRET_ACCESS_KEY'],
    [{ region: 'eu.evil.example/' }, 'AWS_REGION'],
    [{ endpointS3: 'minio:9000' }, 'AWS_ENDPOINT_URL_S3 must'],
    [{ endpoint: 'https://an-id:a-secret@minio' }, 'AWS_ENDPOINT_URL must'],
  ])('needs settings that open it: %o', (change, variable) => {
    const open = () => placeOf('s3://bucket/a', { ...settings, ...change });
    expect(open).toThrow(variable);
    expect(open).not.toThrow('a-secret');
  });
});

it('parts have 8 MiB, and more only where there would be more than 10,000', () => {
  const mib = 1024 ** 2;
  expect([1, 1024 * mib, 80_000 * mib].map(partBytes)).toEqual([8 * mib, 8 * mib, 8 * mib]);
  const largest = 5 * 1024 ** 2 * mib;
  expect(Math.ceil(largest / partBytes(largest))).toBeLessThanOrEqual(10_000);
});
