export type { BodyFormat, Source } from './convert/index.ts';
export type { Written } from './convert/tally.ts';
export { ENCODINGS, type Encoding, SIGNALS, type Signal, WAL_SIGNALS, type WalEntry, type WalSignal } from './entry.ts';
export { decodeEvaluations, type Evaluations, encodeEvaluations, type SeenEvaluation } from './evaluations.ts';
export { keyValue, type Message, message, requests as otlpRequests } from './json/messages.ts';
export { JsonError } from './json/text.ts';
export { jsonToProtobuf, writeMessage } from './json/to-protobuf.ts';
export { isLong, type Prepared, type PrepareLimits, prepare, refuseMore } from './prepare.ts';
export { decodeReadRequest, type ReadMatcher, type ReadQuery } from './remote-read/request.ts';
export { encodeReadResponse } from './remote-read/response.ts';
export { scan } from './scan/index.ts';
export { LATENESS_STEPS_MS, type Lateness, latenessStep, noLateness } from './scan/lateness.ts';
export { type ScanOutcome, TooLarge } from './scan/outcome.ts';
export { type Block, blockLimitsOf, currentDivision, divisionFor } from './transcode/block.ts';
export { BufferPool } from './transcode/buffer-pool.ts';
export { RowWriter } from './transcode/row-writer.ts';
export { SegmentTranscoder } from './transcode/segment.ts';
export { SeriesCache } from './transcode/series-cache.ts';
export { maskBody } from './transcode/shape.ts';
export { isDescription, type TelemetryTable, tableColumns } from './transcode/tables.ts';
export {
  describesOthers,
  eachPoint,
  POINT_BYTES,
  pointColumns,
  pointsOf,
  type StoredPoint,
} from './transcode/watched-rows.ts';
export { WireError, WireReader } from './wire/reader.ts';
export { WireWriter } from './wire/writer.ts';
