export {
  createIngest,
  type Ingest,
  type IngestAnswer,
  type IngestLimits,
  type IngestOptions,
  type IngestRequest,
} from './ingest.ts';
export { JsonError } from './json/text.ts';
export type { OtlpGrpc } from './otlp-grpc.ts';
export type { Authenticate, IngestDenied, IngestPrincipal } from './principal.ts';
export { TooLarge } from './scan/index.ts';
export type { IngestStats, SignalStats } from './stats.ts';
export { maskBody } from './transcode/shape.ts';
export { WireError } from './wire/reader.ts';
export type { IngestLog } from './worker/client.ts';
