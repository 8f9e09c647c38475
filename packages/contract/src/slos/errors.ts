import { defineErrors } from '../error-definition.ts';

export const slosErrors = defineErrors({
  SLO_INVALID: { code: 'SVC-7050', status: 422, message: 'invalid SLO: {reason}' },
  RECORDING_RULE_INVALID: { code: 'SVC-7051', status: 422, message: 'invalid recording rule: {reason}' },
});
