import { metricNameReason } from '../scan/metrics.ts';
import { type ScanLimits, type ScanOutcome, TooLarge, Verdict } from '../scan/outcome.ts';
import { varintBytes } from '../wire/writer.ts';
import { LabelWalk } from './labels.ts';
import { SampleReader, type Version } from './reader.ts';

/**
 * Judges a plain request of samples as the scan judges what {@link prometheusToOtlp} makes of it, without making it.
 * @returns `undefined` for a request that is not plain, or is too large: then that path answers it.
 */
export function scanSamples(text: Buffer, version: Version, limits: ScanLimits): ScanOutcome | undefined {
  try {
    return scanPlain(text, version, limits);
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
}

function scanPlain(text: Buffer, version: Version, limits: ScanLimits): ScanOutcome | undefined {
  const verdict = new Verdict(limits);
  const walk = new LabelWalk();
  const reader = new SampleReader(text, version, walk);
  let series = 0;
  while (reader.nextSeries()) {
    if (series++ === limits.maxItems) return undefined;
    // In OTLP, the length of the name is a varint before it, and the first byte of that is not counted.
    const { nameBytes } = walk;
    const nameReason = metricNameReason(nameBytes === 0 ? 0 : varintBytes(nameBytes) - 1 + nameBytes);
    const contextBytes = contextBytesOf(walk) + reader.metadataBytes;
    while (reader.nextSample()) {
      const { time } = reader;
      const timeReason = verdict.time(time);
      verdict.item(nameReason ?? timeReason, contextBytes);
    }
  }
  return reader.isPlain ? verdict : undefined;
}

/** What the resource and the name of a series take in OTLP, which each of its points carries. */
function contextBytesOf({
  nameBytes,
  namespaceBytes,
  serviceBytes,
  instanceBytes,
  environmentBytes,
}: LabelWalk): number {
  return (
    varintBytes(nameBytes) +
    nameBytes +
    attributeBytes('service.namespace'.length, namespaceBytes) +
    attributeBytes('service.name'.length, serviceBytes) +
    attributeBytes('service.instance.id'.length, instanceBytes) +
    attributeBytes('deployment.environment.name'.length, environmentBytes)
  );
}

/** A `KeyValue` with a text, as a field; nothing for an empty one. */
function attributeBytes(keyBytes: number, valueBytes: number): number {
  if (valueBytes === 0) return 0;
  const value = 1 + varintBytes(valueBytes) + valueBytes;
  const pair = 1 + varintBytes(keyBytes) + keyBytes + 1 + varintBytes(value) + value;
  return 1 + varintBytes(pair) + pair;
}
