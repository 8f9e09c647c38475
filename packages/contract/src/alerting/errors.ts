import { defineErrors } from '../error-definition.ts';

export const alertingErrors = defineErrors({
  ALERT_RULE_INVALID: { code: 'SVC-7001', status: 422, message: 'invalid alert rule: {reason}' },
  CHANNEL_INVALID: { code: 'SVC-7010', status: 422, message: 'invalid channel: {reason}' },
  CHANNEL_IN_USE: {
    code: 'SVC-7011',
    status: 409,
    message: 'the channel {name} is used by {users}: remove it there first',
  },
  CHANNEL_SECRETS_REQUIRED: {
    code: 'SVC-7012',
    status: 422,
    message: 'the address of the channel changed: give its secrets again ({secrets})',
  },
  CHANNEL_EXISTS: {
    code: 'SVC-7013',
    status: 409,
    message: 'a channel with the name {name} already exists: choose another name',
  },
  ROUTING_POLICY_INVALID: { code: 'SVC-7030', status: 422, message: 'invalid routing policy: {reason}' },
  ROUTING_POLICY_ROOT: {
    code: 'SVC-7031',
    status: 409,
    message: 'the root policy takes every alert: it has no matchers and no parent, and cannot be deleted',
  },
  ROUTING_POLICY_CIRCLE: {
    code: 'SVC-7032',
    status: 409,
    message: 'the policy {name} cannot be below itself: choose another parent',
  },
  ROUTING_POLICY_IN_USE: {
    code: 'SVC-7033',
    status: 409,
    message: 'the policy {name} has children: move or delete them first',
  },
  SILENCE_INVALID: { code: 'SVC-7034', status: 422, message: 'invalid silence: {reason}' },
  INHIBITION_RULE_INVALID: { code: 'SVC-7035', status: 422, message: 'invalid inhibition rule: {reason}' },
  ALERT_RULE_OF_SLO: {
    code: 'SVC-7052',
    status: 409,
    message: 'this alert rule belongs to an SLO: change the SLO {slo}, or turn its burn_alerts off',
  },
});
