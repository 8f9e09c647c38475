import { z } from 'zod';
import { count, type SettingsOf, setting } from '../settings.ts';
import { isRange } from './addresses.ts';

export type EgressSettings = SettingsOf<typeof egressSettings>;

const ranges = z
  .string()
  .transform((given) => given.split(',').map((range) => range.trim()))
  .pipe(z.array(z.string().refine(isRange, 'ranges of addresses, such as 10.0.0.0/8,fd00::/8')))
  .readonly();

/** Requests to addresses that users give. */
export const egressSettings = {
  allow: setting('FANION_EGRESS_ALLOW', ranges.default([]), {
    range: 'ranges of addresses, such as `10.0.0.0/8,fd00::/8`',
    help: 'Ranges that requests may reach in addition to public addresses: private networks, loopback',
  }),
  timeoutMs: setting('FANION_EGRESS_TIMEOUT_MS', count(1_000, 60_000).default(10_000), {
    help: 'Maximum time of one request, from the DNS lookup to the end of the response, in milliseconds',
  }),
  answerBytes: setting('FANION_EGRESS_ANSWER_BYTES', count(1_024, 1_048_576).default(65_536), {
    help: "How much of a receiver's response is read. Imported dashboards have `FANION_DASHBOARD_IMPORT_BYTES`",
  }),
};
