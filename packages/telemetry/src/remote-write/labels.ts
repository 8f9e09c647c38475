/** Labels that say where all series of a target are from: "Prometheus and OpenMetrics compatibility", OpenTelemetry. */
export const environmentLabels = [
  'deployment_environment_name',
  'deployment.environment.name',
  'deployment_environment',
];
/** Beyond it a series is malformed. */
export const MAX_LABELS = 1000;

const named = {
  name: Buffer.from('__name__'),
  job: Buffer.from('job'),
  instance: Buffer.from('instance'),
  environments: environmentLabels.map((label) => Buffer.from(label)),
};
const LABEL = 0x0a;
const NAME = 0x0a;
const VALUE = 0x12;
const SLASH = 0x2f;
/** What a text that is not there has for a length. */
const NONE = 0;

/** The end of labels that are not in the order and form in which everybody writes them. */
export const NOT_PLAIN = -1;

/**
 * Walks the labels of a series as `prometheus.TimeSeries` holds them, in the form in which every client writes them: name
 * before value, each once, none empty. Of the labels that become something else than attributes it keeps the lengths.
 */
export class LabelWalk {
  nameBytes = NONE;
  /** Of a job `a/b`, `a` becomes the namespace of the service. */
  namespaceBytes = NONE;
  serviceBytes = NONE;
  instanceBytes = NONE;
  environmentBytes = NONE;
  /** Which of {@link environmentLabels} it is from. */
  #environmentRank = environmentLabels.length;
  #position = 0;

  /** Returns where the labels end, or {@link NOT_PLAIN}. */
  walk(bytes: Buffer, start: number, end: number): number {
    this.nameBytes = this.namespaceBytes = this.serviceBytes = this.instanceBytes = this.environmentBytes = NONE;
    this.#environmentRank = environmentLabels.length;
    let at = start;
    for (let count = 0; at < end && bytes[at] === LABEL; count++) {
      if (count === MAX_LABELS) return NOT_PLAIN;
      const length = this.#length(bytes, at + 1, end);
      const stop = this.#position + length;
      if (length < 0 || stop > end || bytes[this.#position] !== NAME) return NOT_PLAIN;
      const nameLength = this.#length(bytes, this.#position + 1, stop);
      const nameAt = this.#position;
      const nameEnd = nameAt + nameLength;
      if (nameLength < 0 || nameEnd >= stop || bytes[nameEnd] !== VALUE) return NOT_PLAIN;
      const valueLength = this.#length(bytes, nameEnd + 1, stop);
      if (valueLength <= 0 || this.#position + valueLength !== stop) return NOT_PLAIN;
      this.#note(bytes, nameAt, nameLength, this.#position, valueLength);
      at = stop;
    }
    return at;
  }

  /** A length of at most three bytes, behind which the position then is; -1 for a longer one. */
  #length(bytes: Buffer, at: number, end: number): number {
    if (at >= end) return -1;
    const first = bytes[at] as number;
    if (first < 128) {
      this.#position = at + 1;
      return first;
    }
    let length = first & 127;
    for (let i = 1; i < 3 && at + i < end; i++) {
      const byte = bytes[at + i] as number;
      length |= (byte & 127) << (7 * i);
      if (byte < 128) {
        this.#position = at + i + 1;
        return length;
      }
    }
    return -1;
  }

  #note(bytes: Buffer, at: number, length: number, valueAt: number, valueLength: number): void {
    switch (length) {
      case 3:
        if (this.serviceBytes === NONE && isText(bytes, at, named.job)) this.#noteJob(bytes, valueAt, valueLength);
        return;
      case 8:
        // Where labels repeat, the last name counts, and of all others the first.
        if (isText(bytes, at, named.name)) this.nameBytes = valueLength;
        else if (this.instanceBytes === NONE && isText(bytes, at, named.instance)) this.instanceBytes = valueLength;
        return;
      default:
        if (length < 22) return;
        for (const [rank, name] of named.environments.entries()) {
          if (rank >= this.#environmentRank || name.length !== length || !isText(bytes, at, name)) continue;
          this.#environmentRank = rank;
          this.environmentBytes = valueLength;
        }
    }
  }

  #noteJob(bytes: Buffer, at: number, length: number): void {
    let slash = 0;
    while (slash < length && bytes[at + slash] !== SLASH) slash++;
    const isSplit = slash > 0 && slash < length;
    this.namespaceBytes = isSplit ? slash : NONE;
    // `a/` alone is the whole name.
    this.serviceBytes = isSplit && slash + 1 < length ? length - slash - 1 : length;
  }
}

function isText(bytes: Buffer, at: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
  return true;
}
