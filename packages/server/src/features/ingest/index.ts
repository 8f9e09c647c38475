export { createIngest, type Ingest, type IngestLimits } from './ingest.ts';
export type { OtlpGrpc } from './otlp-grpc.ts';
export type { Authenticate, IngestPrincipal } from './principal.ts';
export { maskBody } from './transcode/shape.ts';
export { WireError } from './wire/reader.ts';
