export { type AccessFeature, createAccess, type IngestToken, sessionAbsoluteMs, sessionIdleMs } from './access.ts';
export { missingFrom } from './rules.ts';
