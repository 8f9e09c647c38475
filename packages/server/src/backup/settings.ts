import { z } from 'zod';
import { count, setting } from '../platform/settings.ts';

const hoursInMs = (hours: number) => hours * 3_600_000;

/** Of AWS and of everything that speaks its protocol, by the names that its tools read. */
const s3 = {
  accessKeyId: setting('AWS_ACCESS_KEY_ID', z.string().optional(), {
    range: 'an id',
    help: 'The credentials for backups in a bucket, together with the next one. See [the guide](guides/backup-and-restore.md#in-a-bucket)',
  }),
  secretAccessKey: setting('AWS_SECRET_ACCESS_KEY', z.string().optional(), {
    range: 'a secret',
    help: 'The secret of that id',
  }),
  sessionToken: setting('AWS_SESSION_TOKEN', z.string().optional(), {
    range: 'a token',
    help: 'For temporary credentials. The server reads it once, at start, so it must be valid as long as the server runs',
  }),
  region: setting('AWS_REGION', z.string().default('us-east-1'), {
    range: 'a region',
    help: 'Where the bucket is',
  }),
  endpointS3: setting('AWS_ENDPOINT_URL_S3', z.string().optional(), {
    range: 'an http or https address',
    help: 'The server of the bucket, if it is not AWS, such as `https://minio.example.com:9000`. Over http, anybody on the way can read the backup',
  }),
  endpoint: setting('AWS_ENDPOINT_URL', z.string().optional(), {
    range: 'an http or https address',
    help: 'The same, if `AWS_ENDPOINT_URL_S3` is not set',
  }),
};

export const backupSettings = {
  directory: setting('FANION_BACKUP_DIR', z.string().min(1).optional(), {
    range: 'a directory, or `s3://bucket/prefix`',
    help: 'Where the server backs itself up by schedule. Servers that share their stores need the same place. The server creates a directory if it is missing, but no bucket. Not set: only `fanion backup` does. See [the guide](guides/backup-and-restore.md#by-schedule)',
  }),
  intervalMs: setting('FANION_BACKUP_HOURS', z.coerce.number().min(0.01).max(8_760).default(24).transform(hoursInMs), {
    help: 'Hours between two backups. A failed one is tried again after an hour',
  }),
  keep: setting('FANION_BACKUP_KEEP', count(1, 1_000).default(7), {
    help: 'Complete backups that stay. Older ones of this server are removed when a new one is complete',
  }),
  s3,
};
