import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { AccessFeature } from './identity/access/index.ts';

/** The dependencies of every feature of the control plane. */
export interface FeatureDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly access: AccessFeature;
  readonly log: Log;
}
