import { ProfileDictionary } from '../profiles/dictionary.ts';
import { profile } from '../profiles/fields.ts';
import { ProfileParts, SampleParts } from '../profiles/sample.ts';
import { millisAt, WireReader } from '../wire/reader.ts';
import { type ScanLimits, type ScanOutcome, TooLarge, Verdict } from './outcome.ts';
import { scanEnvelope } from './values.ts';

/**
 * Checks an `ExportProfilesServiceRequest`. As OTLP counts them, its items are profiles: a profile with a sample that
 * refers to a missing entry is rejected as a whole.
 * @throws {WireError} when the structure is broken anywhere, to the last byte.
 * @throws {TooLarge} also when there are more observations than items are allowed.
 */
export function scanProfiles(body: Buffer, limits: ScanLimits): ScanOutcome {
  const reader = new WireReader(body);
  const dictionary = new ProfileDictionary(reader);
  const verdict = new Verdict(limits);
  const parts = new ProfileParts();
  const sample = new SampleParts();
  const stacks = new Set<number>();
  let observations = 0;

  scanEnvelope(reader, verdict, (_, end, __, contextBytes) => {
    const start = reader.position;
    parts.read(reader, end);
    let reason = reasonOfProfile(parts, dictionary);
    let counted = 0;
    let isTimed = true;
    reader.position = start;
    while (reader.position < end) {
      const tag = reader.tag();
      if (tag !== profile.samples) {
        reader.skip(tag, end);
        continue;
      }
      sample.read(reader, reader.enter(end), parts.layout);
      reason ??= reasonOfSample(sample, dictionary, reader, verdict);
      if (reason !== undefined) continue;
      counted += sample.observations;
      isTimed &&= sample.timesAt.length > 0;
      let attributeBytes = 0;
      for (const index of sample.attributes) attributeBytes += dictionary.attributeBytes(index);
      for (const index of parts.attributes) attributeBytes += dictionary.attributeBytes(index);
      verdict.expand((contextBytes + attributeBytes) * sample.observations);
      if (!stacks.has(sample.stack)) verdict.expand(dictionary.frameBytes(sample.stack));
      stacks.add(sample.stack);
    }
    observations += reason === undefined ? counted : 0;
    if (observations > limits.maxItems) throw new TooLarge(`more than ${limits.maxItems} observations in one request`);
    if (!isTimed) {
      reason ??= verdict.time(parts.timeAt < 0 ? 0 : timeOf(parts, reader.bytes));
    }
    verdict.item(reason, contextBytes);
  });
  return verdict;
}

/** A longer profile covers the life of a process, and its values are those at its end. */
const LONG_NANOS = 3_600_000_000_000;

/** The time of a profile whose samples have no times, in Unix milliseconds. */
export function timeOf({ timeAt, durationNanos }: ProfileParts, bytes: Buffer): number {
  const start = millisAt(bytes, timeAt);
  return durationNanos > LONG_NANOS ? start + Math.floor(durationNanos / 1e6) : start;
}

function reasonOfProfile({ type, unit, attributes }: ProfileParts, dictionary: ProfileDictionary): string | undefined {
  if (type === 0 || !dictionary.hasString(type) || !dictionary.hasString(unit)) return 'the profile has no sample_type';
  return attributes.every((index) => dictionary.hasAttribute(index))
    ? undefined
    : 'the profile has an attribute that is not in the dictionary';
}

function reasonOfSample(
  sample: SampleParts,
  dictionary: ProfileDictionary,
  { bytes }: WireReader,
  verdict: Verdict,
): string | undefined {
  if (!dictionary.hasStack(sample.stack)) return 'a sample has a stack that is not in the dictionary';
  if (!dictionary.hasLink(sample.link)) return 'a sample has a link that is not in the dictionary';
  if (sample.observations < 0) return 'a sample has other numbers of values and of timestamps';
  for (const index of sample.attributes) {
    if (!dictionary.hasAttribute(index)) return 'a sample has an attribute that is not in the dictionary';
  }
  for (const at of sample.timesAt) {
    const reason = verdict.time(millisAt(bytes, at));
    if (reason !== undefined) return `of a sample: ${reason}`;
  }
  return undefined;
}
