export { auditFeature } from './list.ts';
export { type AuditFact, recordAudit } from './record.ts';
