import { defineErrors } from '../error-definition.ts';

export const flagsErrors = defineErrors({
  FLAG_NOT_FOUND: { code: 'SVC-4001', status: 404, message: 'no flag has the key {key}' },
  FLAG_EXISTS: {
    code: 'SVC-4002',
    status: 409,
    message: 'a flag with the key {key} already exists: choose another key',
  },
  STALE_VERSION: {
    code: 'SVC-4003',
    status: 409,
    message: 'stale version {given}: version {current} is current; reload and try again',
  },
  TARGETING_INVALID: { code: 'SVC-4004', status: 422, message: 'invalid targeting: {reason}' },
  FLAG_ARCHIVED: { code: 'SVC-4005', status: 409, message: 'the flag {key} is archived' },
  FLAG_NOT_ARCHIVED: {
    code: 'SVC-4006',
    status: 409,
    message: 'the flag {key} is not archived: archive it before you delete it',
  },
  FLAG_IN_USE: { code: 'SVC-4007', status: 409, message: 'the flag {key} is a prerequisite of {users}' },
  VARIANT_IN_USE: {
    code: 'SVC-4008',
    status: 409,
    message: 'the variant {variant} is still served by {users}: remove it there first',
  },
  PREREQUISITES_INVALID: { code: 'SVC-4009', status: 422, message: 'invalid prerequisites: {reason}' },
  PREREQUISITE_CYCLE: { code: 'SVC-4010', status: 409, message: 'the prerequisites form a cycle: {cycle}' },
  SEGMENT_NOT_FOUND: { code: 'SVC-4011', status: 404, message: 'no segment has the key {key}' },
  SEGMENT_INVALID: { code: 'SVC-4012', status: 422, message: 'invalid segment: {reason}' },
  SEGMENT_CYCLE: { code: 'SVC-4013', status: 409, message: 'the segment rules form a cycle: {cycle}' },
  SEGMENT_IN_USE: { code: 'SVC-4014', status: 409, message: 'the segment {key} is used by {users}' },
  CHANGE_NOT_FOUND: { code: 'SVC-4015', status: 404, message: 'no change has the id {id}' },
  CHANGE_STATE: { code: 'SVC-4016', status: 409, message: 'the change is already {status}' },
  SELF_APPROVAL: { code: 'SVC-4017', status: 403, message: 'you cannot approve your own change: ask another reviewer' },
  RAMP_NOT_FOUND: { code: 'SVC-4018', status: 404, message: 'the flag {key} has no ramp in this environment' },
  RAMP_ACTIVE: {
    code: 'SVC-4019',
    status: 409,
    message: 'a ramp controls the fallthrough of {key}: abort the ramp first',
  },
  RAMP_INVALID: { code: 'SVC-4020', status: 422, message: 'invalid ramp: {reason}' },
  RAMP_STATE: { code: 'SVC-4021', status: 409, message: 'the ramp is {status}' },
  CHANGE_KIND_UNKNOWN: {
    code: 'SVC-4030',
    status: 409,
    message: 'unknown kind of change {kind}: apply it with a newer server',
  },
  NO_PREVIOUS_VERSION: {
    code: 'SVC-4031',
    status: 404,
    message: 'the flag {key} has no earlier version in this environment',
  },
  CONTEXT_INVALID: { code: 'SVC-5040', status: 400, message: 'the context {reason}' },
});
