import { resolve } from 'node:path';
import type { SettingsOf } from '../platform/settings.ts';
import type { backupSettings } from './settings.ts';

/** What opens a bucket. */
export interface S3Access {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
  readonly region: string;
  /** Undefined: AWS. */
  readonly endpoint: string | undefined;
}

export interface Bucket {
  readonly kind: 's3';
  readonly bucket: string;
  /** Without slashes at its ends; empty: the bucket itself. */
  readonly prefix: string;
  readonly access: S3Access;
}

/** A place for backups, or of one. */
export type BackupPlace = { readonly kind: 'folder'; readonly path: string } | Bucket;

export type S3Settings = SettingsOf<typeof backupSettings.s3>;

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;

/** The same place for every working directory. @throws Error if it is neither a directory nor a bucket */
export function absolutePlace(given: string): string {
  const located = locate(given);
  return located.kind === 'folder' ? located.path : given;
}

/**
 * A directory, or `s3://bucket/prefix` with what opens it.
 * @throws Error that repeats neither the text nor a setting: there may be a secret in them
 */
export function placeOf(given: string, settings: S3Settings): BackupPlace {
  const located = locate(given);
  return located.kind === 'folder' ? located : { ...located, access: accessOf(settings) };
}

function locate(given: string): Exclude<BackupPlace, Bucket> | Omit<Bucket, 'access'> {
  const scheme = SCHEME.exec(given)?.[1]?.toLowerCase();
  if (scheme === undefined) return { kind: 'folder', path: resolve(given) };
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9._-]{1,61}[a-z0-9])(?:\/+(.*))?$/i.exec(given) ?? [];
  const prefix = path.replace(/\/+$/, '');
  if (scheme !== 's3' || bucket === undefined || !isPrefix(prefix))
    throw new Error('backups go to a directory or to s3://bucket/prefix, and this is neither');
  return { kind: 's3', bucket, prefix };
}

/** A place for people, without what opens it. */
export function labelOf(place: BackupPlace): string {
  if (place.kind === 'folder') return place.path;
  return place.prefix === '' ? `s3://${place.bucket}` : `s3://${place.bucket}/${place.prefix}`;
}

/** Of plain characters: those of keys that every server and tool takes. */
function isPrefix(text: string): boolean {
  return (
    text === '' || (text.length <= 512 && text.split('/').every((part) => /^(?!\.{1,2}$)[\w!'()*.@+=,-]+$/.test(part)))
  );
}

function accessOf({ accessKeyId, secretAccessKey, sessionToken, region, endpointS3, endpoint }: S3Settings): S3Access {
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new Error('a bucket needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the files of both');
  if (!/^[a-z0-9-]{2,40}$/.test(region)) throw new Error('AWS_REGION must be a region such as eu-central-1');
  const variable = endpointS3 === undefined ? 'AWS_ENDPOINT_URL' : 'AWS_ENDPOINT_URL_S3';
  const address = endpointS3 ?? endpoint;
  if (address !== undefined && !isAddress(address))
    throw new Error(`${variable} must be an http or https address without user, password and query`);
  return { accessKeyId, secretAccessKey, sessionToken, region, endpoint: address?.replace(/\/+$/, '') };
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username + password + search + hash === '';
}
