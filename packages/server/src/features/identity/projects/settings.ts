import { z } from 'zod';
import { count, setting, text } from '../../../platform/settings.ts';

const classes = text(/^\d+(,\d+){0,9}$/, 'at most ten numbers of days, such as 7,30,90')
  .transform((given) => given.split(',').map(Number))
  .pipe(z.array(z.number().int().min(1).max(3650)));

/** Retention classes of telemetry, in days. */
export const retentionSettings = {
  default: setting('FANION_RETENTION_DAYS', count(1, 3650).default(30), {
    help: 'Days for which new telemetry is stored, counted from its own timestamp, unless its project sets another time. Items that are older on arrival are rejected',
  }),
  allowed: setting('FANION_RETENTION_CLASSES', classes.default([3, 7, 15, 30, 90, 400]), {
    help: 'The retention times, from 1 to 3650 days, that projects may choose for each signal besides `FANION_RETENTION_DAYS`. Keep them few: each has its own partitions in every table. If you remove a class, projects that use it keep it',
  }),
};
