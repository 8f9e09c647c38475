export { type AccessFeature, createAccess, sessionAbsoluteMs, sessionIdleMs } from './access.ts';
export { createKnownKeys } from './known-keys.ts';
export { missingFrom } from './rules.ts';
