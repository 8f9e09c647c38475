import type { Feature } from '../../feature.ts';
import { ingestTables } from './tenant-tables-store.ts';

export { createIngestAuthenticator } from './authenticator.ts';
export { createIngest, type Ingest } from './ingest.ts';
export type { BodyBudget, Held } from './limits/body-budget.ts';
export type { IngestLimits } from './limits/ingest-limits.ts';
export type { Authenticate, IngestPrincipal } from './principal.ts';
export { encodingOf, holdMore, inflateBody, mediaTypeOf, receive, refuse, sendText, withRawBodies } from './receive.ts';
export type { Receiver } from './receiver.ts';
export { type RefusalReason, Refused, refusalOf, refusedCaller } from './refusal.ts';
export type { IngestLog } from './worker/client.ts';

/** Takes telemetry in. Its routes are those of `protocols`. */
export const ingestFeature = { name: 'telemetry/ingest', tenantTables: ingestTables } satisfies Feature;
