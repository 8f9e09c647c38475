import { isUtf8 } from 'node:buffer';
import type { WalEntry } from '../entry.ts';
import type { ResourceContext, ScopeContext } from '../transcode/context.ts';
import { Hash64 } from '../transcode/hash.ts';
import { anyValue } from '../wire/fields.ts';
import type { Identity } from './identities.ts';
import { environmentLabels } from './labels.ts';
import type { SampleReader } from './reader.ts';

const LABEL = 0x0a;
/** Tag and length of a label, and of its name. */
const BEFORE_NAME = 4;
const LONG = 128;
/** kind × 16 + temporality × 2 + monotonic: a gauge, and a cumulative monotonic sum. */
const GAUGE = 0;
const COUNTER = 21;
const counterName = /_(total|count|sum|bucket)$/;
const namePattern = '__name__';

/** The labels of a series that say where it is from, and all of them as a hash. */
interface Labels {
  name: string;
  /** The same for series of one target. */
  target: string;
  low: number;
  high: number;
  count: number;
}

/**
 * Works out what a series is from the bytes of its labels alone, as the OTLP transcoder does from OTLP, for a target of
 * which another series is known. Without it, senders of more series than can be remembered would cost ten times as much.
 */
export class DirectIdentity {
  readonly #hash = new Hash64();
  readonly #scratch = new Hash64();

  /** The labels of the series; `undefined` where they are not short, in order, and all that is known of the series. */
  read({ key, keyStart, keyEnd }: SampleReader): Labels | undefined {
    if (!isUtf8(key.subarray(keyStart, keyEnd))) return undefined;
    const scratch = this.#scratch;
    const labels: Labels = { name: '', target: '', low: 0, high: 0, count: 0 };
    const environments: string[] = [];
    let [job, instance, previous] = ['', '', ''];
    let at = keyStart;
    while (at < keyEnd) {
      const nameLength = key[at + BEFORE_NAME - 1] as number;
      if (key[at] !== LABEL || (key[at + 1] as number) >= LONG) return undefined;
      const nameAt = at + BEFORE_NAME;
      const nameEnd = nameAt + nameLength;
      const valueAt = nameEnd + 2;
      const valueEnd = valueAt + (key[nameEnd + 1] as number);
      const name = key.toString('latin1', nameAt, nameEnd);
      // Two labels of one name are one attribute.
      if (name <= previous && at > keyStart) return undefined;
      previous = name;
      at = valueEnd;
      if (name === namePattern) {
        labels.name = key.toString('latin1', valueAt, valueEnd);
        continue;
      }
      scratch.reset(anyValue.string);
      scratch.bytes(key, nameAt, nameEnd);
      scratch.bytes(key, valueAt, valueEnd);
      scratch.finish();
      labels.low = (labels.low + scratch.low) | 0;
      labels.high = (labels.high + scratch.high) | 0;
      labels.count++;
      if (name === 'job') job = key.toString('latin1', valueAt, valueEnd);
      else if (name === 'instance') instance = key.toString('latin1', valueAt, valueEnd);
      else if (environmentLabels.includes(name))
        environments.push(`${name}=${key.toString('latin1', valueAt, valueEnd)}`);
    }
    labels.target = `${job}\0${instance}\0${environments.join('\0')}`;
    return labels;
  }

  identify({ project }: WalEntry, labels: Labels, resource: ResourceContext, scope: ScopeContext): Identity {
    const metric = Buffer.from(labels.name, 'latin1');
    const hash = this.#hash;
    hash.reset(3);
    hash.word(project);
    hash.bytes(resource.environment, 0, resource.environment.length);
    hash.bytes(metric, 0, metric.length);
    // The unit, which labels do not tell.
    hash.bytes(metric, 0, 0);
    hash.word(counterName.test(labels.name) ? COUNTER : GAUGE);
    hash.word(resource.hashLow);
    hash.word(resource.hashHigh);
    hash.word(scope.hashLow);
    hash.word(scope.hashHigh);
    hash.word(labels.low);
    hash.word(labels.high);
    hash.word(labels.count);
    hash.finish();
    return { low: hash.low, high: hash.high, metric, resource };
  }
}
