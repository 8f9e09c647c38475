import type { Feature } from '../../feature.ts';
import { auditHandlers } from './list.ts';

export { recordAudit } from './record.ts';

/** Who changed what, and when. */
export const auditFeature = { name: 'identity/audit', routes: auditHandlers } satisfies Feature;
