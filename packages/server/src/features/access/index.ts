export { type AccessFeature, createAccess, type IngestToken, sessionAbsoluteMs, sessionIdleMs } from './access.ts';
export { createKnownKeys, type KnownKeys } from './known-keys.ts';
export { missingFrom } from './rules.ts';
