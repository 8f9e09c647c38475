import { z } from 'zod';
import { isTimeZone } from '../time-zones.ts';

export const Oql = z.string().min(1).max(65_536);

const zoneForm = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;

/** A name of the IANA time zone database, as `Europe/Berlin`; offsets such as `+02:00` have no changes of clock. */
export const TimeZone = z
  .string()
  .max(64)
  .regex(zoneForm, 'a time zone is a name such as Europe/Berlin')
  .refine(isTimeZone, 'unknown time zone: use a name such as Europe/Berlin')
  .meta({ examples: ['Europe/Berlin'] });
