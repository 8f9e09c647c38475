export { type AuditFact, recordAudit } from './record.ts';
