import type { Ruleset } from '@fanion/flag-engine';
import { eventFrame } from '../../../http/sse.ts';
import { patchJson, rulesetJson, surelyLonger } from './ruleset-json.ts';
import type { RulesetSwap } from './rulesets.ts';
import { maxEventBytes } from './sse.ts';

const maxRemembered = 200;
const maxRememberedBytes = 4 * 1024 * 1024;

interface Remembered {
  readonly from: number;
  readonly to: number;
  readonly frame: Buffer;
}

/** The events of one environment. Builds the frame of each patch, and keeps the latest for clients that reconnect. */
export class EventLog {
  #version: number;
  #remembered: Remembered[] = [];
  #bytes = 0;
  #put: { readonly version: number; readonly frame: Buffer } | undefined;

  constructor(version: number) {
    this.#version = version;
  }

  get version(): number {
    return this.#version;
  }

  /** Records a swap and returns its frame, the same bytes for every client. */
  append({ from, held, patch }: RulesetSwap): Buffer {
    const to = held.ruleset.version;
    const frame = surelyLonger(patch, maxEventBytes) ? refetch('patch', to) : limited('patch', to, patchJson(patch));
    this.#version = to;
    // A gap (this log began later than the ruleset) makes what is before it useless.
    if (this.#remembered.at(-1)?.to !== from) this.#forget();
    this.#remembered.push({ from, to, frame });
    this.#bytes += frame.length;
    while (this.#remembered.length > maxRemembered || this.#bytes > maxRememberedBytes)
      this.#bytes -= this.#remembered.shift()?.frame.length ?? 0;
    return frame;
  }

  /**
   * The events that a client at `version` missed; undefined: more than is remembered. A patch that spans several
   * versions also applies to one in between, since it contains every changed item whole.
   */
  since(version: number): Buffer[] | undefined {
    if (version === this.#version) return [];
    const missed = this.#remembered.filter(({ to }) => to > version);
    const [first] = missed;
    return first === undefined || first.from > version ? undefined : missed.map(({ frame }) => frame);
  }

  put(ruleset: Ruleset): Buffer {
    if (this.#put?.version !== ruleset.version) this.#put = { version: ruleset.version, frame: putFrame(ruleset) };
    return this.#put.frame;
  }

  #forget(): void {
    this.#remembered = [];
    this.#bytes = 0;
  }
}

function putFrame(ruleset: Ruleset): Buffer {
  const { version } = ruleset;
  return surelyLonger(ruleset, maxEventBytes) ? refetch('put', version) : limited('put', version, rulesetJson(ruleset));
}

function limited(event: 'put' | 'patch', version: number, json: string): Buffer {
  const frame = eventFrame(event, version, json);
  return frame.length <= maxEventBytes ? frame : refetch(event, version);
}

function refetch(event: 'put' | 'patch', version: number): Buffer {
  return eventFrame(event, version, `{"version":${version},"refetch":true}`);
}
