import { z } from 'zod';
import { gibibyte, isOn, mebibyte, onOff, setting, size } from '../settings.ts';

const bytesFrom64Mebibytes = z
  .union([z.coerce.number().int(), size])
  .pipe(z.number().min(64 * mebibyte, 'at least 64MiB'));

export const walSettings = {
  maxBytes: setting('FANION_WAL_MAX_BYTES', bytesFrom64Mebibytes.default(8 * gibibyte), {
    help: 'How much telemetry may wait for the telemetry store. At this limit, ingest returns 503 with `Retry-After`',
  }),
  minFreeBytes: setting('FANION_MIN_FREE_BYTES', bytesFrom64Mebibytes.default(512 * mebibyte), {
    help: 'While the disk has less free space, ingest returns 503 with `Retry-After`, so that queries, flags and the control plane keep working',
  }),
  fsync: setting('FANION_WAL_FSYNC', onOff.default('on').transform(isOn), {
    help: '`off` acknowledges telemetry before it is on disk. This lowers latency, but a power failure can lose acknowledged telemetry',
  }),
};
