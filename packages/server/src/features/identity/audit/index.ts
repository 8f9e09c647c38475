/**
 * A change: in one transaction, a service writes, increments the version, and adds the audit entry (`record.ts`) and
 * the outbox message.
 */

import type { Feature } from '../../feature.ts';
import { auditHandlers } from './list.ts';

export { recordAudit, recordAudits, recordInAllWorkspaces } from './record.ts';

/** Who changed what, and when. */
export const auditFeature = { name: 'identity/audit', routes: auditHandlers } satisfies Feature;
