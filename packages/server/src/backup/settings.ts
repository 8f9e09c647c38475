import { z } from 'zod';
import { count, setting } from '../platform/settings.ts';

const hoursInMs = (hours: number) => hours * 3_600_000;

export const backupSettings = {
  directory: setting('FANION_BACKUP_DIR', z.string().min(1).optional(), {
    range: 'a directory, best on another disk',
    help: 'Where the server writes backups by itself. Only with embedded stores. Not set: only `fanion backup` writes them',
  }),
  intervalMs: setting('FANION_BACKUP_HOURS', z.coerce.number().min(0.01).max(8_760).default(24).transform(hoursInMs), {
    help: 'Hours between two of these backups. A failed one is tried again after an hour',
  }),
  keep: setting('FANION_BACKUP_KEEP', count(1, 1_000).default(7), {
    help: 'Complete backups of this server that stay in that directory',
  }),
};
