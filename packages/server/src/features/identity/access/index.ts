export { type AccessFeature, createAccess, sessionAbsoluteMs, sessionIdleMs } from './access.ts';
export { type AccessChange, accessChanged, accessChangeOf, announceAccessChange } from './changes.ts';
export { createKnownKeys } from './known-keys.ts';
export { missingFrom } from './rules.ts';
