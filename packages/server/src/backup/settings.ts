import { z } from 'zod';
import { count, setting } from '../platform/settings.ts';

const hoursInMs = (hours: number) => hours * 3_600_000;

export const backupSettings = {
  directory: setting(
    'FANION_BACKUP_DIR',
    z
      .string()
      .min(1)
      .regex(/^(?![a-z0-9+.-]+:\/\/)/i, 'a directory; buckets are not supported')
      .optional(),
    {
      range: 'a directory',
      help: 'Where the server backs itself up by schedule, with embedded stores. The server creates it if it is missing. Not set: only `fanion backup` does. See [the guide](guides/backup-and-restore.md#by-schedule)',
    },
  ),
  intervalMs: setting('FANION_BACKUP_HOURS', z.coerce.number().min(0.01).max(8_760).default(24).transform(hoursInMs), {
    help: 'Hours between two backups. A failed one is tried again after an hour',
  }),
  keep: setting('FANION_BACKUP_KEEP', count(1, 1_000).default(7), {
    help: 'Complete backups that stay. Older ones of this server are removed when a new one is complete',
  }),
};
