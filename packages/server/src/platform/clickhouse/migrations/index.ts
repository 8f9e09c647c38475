import { telemetry0001 } from './0001-telemetry.ts';
import { profiles0002 } from './0002-profiles.ts';
import { fieldUsage0003 } from './0003-field-usage.ts';
import { serviceEdges0004 } from './0004-service-edges.ts';
import { ingestRefusals0005 } from './0005-ingest-refusals.ts';
import { exposures0007 } from './0007-exposures.ts';
import { textIndexParts0008 } from './0008-text-index-parts.ts';
import { emptyTexts0009 } from './0009-empty-texts.ts';
import { spanMinutes0010 } from './0010-span-minutes.ts';
import { wholeTelemetry0011 } from './0011-whole-telemetry.ts';
import { granuleFilters0013 } from './0013-granule-filters.ts';
import { smallerBlocksOfIds0014 } from './0014-smaller-blocks-of-ids.ts';
import { sloMinutes0017 } from './0017-slo-minutes.ts';
import { metricRollUps0018 } from './0018-metric-roll-ups.ts';
import { experimentUnits0022 } from './0022-experiment-units.ts';
import { answerTexts0025 } from './0025-answer-texts.ts';
import { writeBuffers0027 } from './0027-write-buffers.ts';
import { halfBlocksOfIds0028 } from './0028-half-blocks-of-ids.ts';
import { exactPoints0029 } from './0029-exact-points.ts';
import { smallerWriteBuffers0030 } from './0030-smaller-write-buffers.ts';
import { repeatedRequests0031 } from './0031-repeated-requests.ts';
import { sampledSpans0032 } from './0032-sampled-spans.ts';
import { replacedParts0033 } from './0033-replaced-parts.ts';
import { writtenSeries0034 } from './0034-written-series.ts';
import { times0035 } from './0035-times.ts';

/** A numbered step of the telemetry schema. */
export interface TelemetryMigration {
  /** Ascending, never reused. */
  readonly id: number;
  readonly name: string;
  /** Each is idempotent by itself. */
  readonly statements: readonly string[];
}

/** All migrations, in the order in which they are applied. */
export const migrations: readonly TelemetryMigration[] = [
  telemetry0001,
  profiles0002,
  fieldUsage0003,
  serviceEdges0004,
  ingestRefusals0005,
  exposures0007,
  textIndexParts0008,
  emptyTexts0009,
  spanMinutes0010,
  wholeTelemetry0011,
  granuleFilters0013,
  smallerBlocksOfIds0014,
  sloMinutes0017,
  metricRollUps0018,
  experimentUnits0022,
  answerTexts0025,
  writeBuffers0027,
  halfBlocksOfIds0028,
  exactPoints0029,
  smallerWriteBuffers0030,
  repeatedRequests0031,
  sampledSpans0032,
  replacedParts0033,
  writtenSeries0034,
  times0035,
];
