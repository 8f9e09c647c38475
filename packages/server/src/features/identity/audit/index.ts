export { auditFeature } from './list.ts';
export { recordAudit } from './record.ts';
