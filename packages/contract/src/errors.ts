import { alertingErrors } from './alerting/errors.ts';
import { dashboardsErrors } from './dashboards/errors.ts';
import { flagsErrors } from './flags/errors.ts';
import { identityErrors } from './identity/errors.ts';
import { judgingErrors } from './judging/errors.ts';
import { slosErrors } from './slos/errors.ts';
import { systemErrors } from './system/errors.ts';
import { telemetryErrors } from './telemetry/errors.ts';

export { type ErrorDefinition, errorBlocks } from './error-definition.ts';

/** Every error of the API, from the files `errors.ts` of the areas. */
export const errors = {
  ...systemErrors,
  ...identityErrors,
  ...flagsErrors,
  ...telemetryErrors,
  ...alertingErrors,
  ...slosErrors,
  ...dashboardsErrors,
  ...judgingErrors,
};

export type ErrorName = keyof typeof errors;

/** One invalid place in the input, or a helpful fact (then `path` is the fact's name). */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
  readonly [fact: string]: unknown;
}
