/**
 * From the log to the store: the worker thread (`worker/loader.ts`) reads a closed segment, turns it into blocks
 * (native columns for spans, log records and number points, RowBinary for all other tables), and inserts each block
 * with a token of its own, so that a replay changes nothing. Then the segment is deleted.
 *
 * `limits` bounds what is accepted, and counts by project, signal and reason what is not: `limits/refusals.ts` writes
 * these counts every few seconds. The retention of a row is decided when its request arrives (`authenticator.ts`), and
 * is stored with the request.
 */

import type { Feature } from '../../feature.ts';
import { ingestTables } from './tenant-tables-store.ts';

export { createIngestAuthenticator } from './authenticator.ts';
export { Ingest } from './ingest.ts';
export type { BodyBudget, Held } from './limits/body-budget.ts';
export type { IngestLimits } from './limits/ingest-limits.ts';
export type { Authenticate, IngestPrincipal } from './principal.ts';
export { encodingOf, holdMore, inflateBody, mediaTypeOf, receive, refuse, sendText, withRawBodies } from './receive.ts';
export type { Receiver } from './receiver.ts';
export { type RefusalReason, Refused, refusalOf, refusedCaller } from './refusal.ts';
export { ofHeldSeries } from './tenant-tables-store.ts';
export type { IngestLog } from './worker/client.ts';

/** Takes telemetry in. Its routes are those of `protocols`. */
export const ingestFeature = { name: 'telemetry/ingest', tenantTables: ingestTables } satisfies Feature;
