import { defineErrors } from '../error-definition.ts';

export const judgingErrors = defineErrors({
  METRIC_INVALID: { code: 'SVC-7130', status: 422, message: 'invalid metric: {reason}' },
  METRIC_BUILT_IN: {
    code: 'SVC-7131',
    status: 409,
    message: 'the metric {key} is built in and cannot be changed: create one with another key',
  },
  EXPERIMENT_ACTIVE: {
    code: 'SVC-7132',
    status: 409,
    message: '{holder} controls the fallthrough of {key} in this environment: end it first',
  },
  EXPERIMENT_INVALID: { code: 'SVC-7133', status: 422, message: 'invalid experiment: {reason}' },
  EXPERIMENT_STATE: { code: 'SVC-7134', status: 409, message: 'the experiment is {state}: {advice}' },
  GUARDED_RELEASE_NOT_FOUND: {
    code: 'SVC-7135',
    status: 404,
    message: 'the flag {key} has no guarded release in this environment',
  },
  GUARDED_RELEASE_INVALID: { code: 'SVC-7136', status: 422, message: 'invalid guarded release: {reason}' },
  GUARDED_RELEASE_STATE: { code: 'SVC-7137', status: 409, message: 'the guarded release is {state}: {advice}' },
});
