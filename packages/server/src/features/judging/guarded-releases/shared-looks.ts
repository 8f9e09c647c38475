import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/fail.ts';
import { TtlCache } from '../../../platform/ttl-cache.ts';
import {
  type Exposed,
  type ExposedUnits,
  isForMany,
  type ManyExposed,
  type MeasureMany,
  type Measurement,
} from '../metrics/index.ts';
import type { LookMeasure } from './look.ts';
import { lookMs } from './slots-rules.ts';

/** For how many looks a release that no longer asks is measured with the others. */
const remembered = 2.5;
/** Releases of one read. */
const mostTogether = 200;
/** How long releases whose read together failed are measured one by one. */
const apartMs = 600_000;
/** Of a read for many, which does not end with the look that began it. */
const longestMs = 60_000;

interface Asker {
  readonly exposed: Exposed;
  /** When it asked each question last, as the time of that look. */
  readonly asked: Map<string, number>;
}
type Group = readonly (readonly [key: string, asker: Asker])[];
type Answers<T> = Map<string, Promise<T | undefined>>;

/** What the looks at one time are answered, by release, and by release and metrics. Undefined: it has to be measured alone. */
interface Slot {
  readonly toMs: number;
  readonly units: Answers<ExposedUnits>;
  readonly sums: Map<string, Answers<readonly Measurement[]>>;
}

/**
 * Lets the looks of an environment at one time share reads: the first that asks measures all releases that asked the same a look ago too, and the others
 * find their numbers there. Where a read together fails for a reason of its own, each release is measured alone for ten minutes.
 */
export class SharedLooks implements LookMeasure {
  readonly #alone: LookMeasure;
  readonly #many: MeasureMany;
  readonly #everyMs: number;
  readonly #places = new Map<string, { readonly askers: Map<string, Asker>; slot: Slot }>();
  readonly #apart: TtlCache<string, true>;

  constructor(alone: LookMeasure, many: MeasureMany, clock: Clock, everyMs: number = lookMs) {
    this.#alone = alone;
    this.#many = many;
    this.#everyMs = everyMs;
    this.#apart = new TtlCache({ clock, ttlMs: apartMs, max: 1_000 });
  }

  readonly units: LookMeasure['units'] = async (exposed, signal) => {
    const entered = this.#enter(exposed, 'units');
    if (entered === undefined) return this.#alone.units(exposed, signal);
    const { slot, key } = entered;
    const found = await this.#shared(slot.units, entered, (asked, _keys, until) => this.#many.units(asked, until));
    signal.throwIfAborted();
    if (found !== undefined) return found;
    const own = this.#alone.units(exposed, signal);
    keep(slot.units, key, own);
    return own;
  };

  readonly all: LookMeasure['all'] = async (exposed, metrics, options) => {
    const question = JSON.stringify(metrics);
    const entered = this.#enter(exposed, question);
    if (entered === undefined) return this.#alone.all(exposed, metrics, options);
    const { slot } = entered;
    if (!isForMany(metrics)) return this.#alone.all(exposed, metrics, options);
    const answers: Answers<readonly Measurement[]> = slot.sums.get(question) ?? new Map();
    slot.sums.set(question, answers);
    const group = entered.group.filter(([key]) => slot.units.has(key));
    const found = await this.#shared(answers, { ...entered, group }, async (asked, keys, until) => {
      const units = await Promise.all(keys.map((key) => slot.units.get(key)));
      const known = units.flatMap((one) => one ?? []);
      return known.length < keys.length ? [] : this.#many.all(asked, metrics, { units: known, signal: until });
    });
    options.signal.throwIfAborted();
    if (found !== undefined) return found;
    const own = this.#alone.all(exposed, metrics, options);
    keep(answers, entered.key, own);
    return own;
  };

  #isRecent(atMs: number, toMs: number) {
    return atMs >= toMs - remembered * this.#everyMs;
  }

  /** The look among those of its place that ask the same; undefined for a look at a time that is over. */
  #enter(exposed: Exposed, question: string) {
    const { scope, toMs } = exposed;
    for (const [name, { slot }] of this.#places) if (!this.#isRecent(slot.toMs, toMs)) this.#places.delete(name);
    const name = JSON.stringify([scope.workspace, scope.project, scope.environment]);
    const place = this.#places.get(name) ?? { askers: new Map<string, Asker>(), slot: newSlot(toMs) };
    this.#places.set(name, place);
    if (toMs < place.slot.toMs) return undefined;
    if (toMs > place.slot.toMs) place.slot = newSlot(toMs);
    const key = JSON.stringify([exposed.flag, exposed.arms, exposed.fromMs]);
    const asker = place.askers.get(key) ?? { exposed, asked: new Map<string, number>() };
    place.askers.set(key, asker);
    asker.asked.set(question, toMs);
    for (const [other, { asked }] of place.askers) {
      for (const [one, atMs] of asked) if (!this.#isRecent(atMs, toMs)) asked.delete(one);
      if (asked.size === 0) place.askers.delete(other);
    }
    const group: Group = [...place.askers].filter(([, { asked }]) => asked.has(question));
    return { key, group, slot: place.slot, form: `${name} ${question}` };
  }

  /** The answer for one of a group, from one read for all of it that may be under way already. */
  #shared<T>(
    answers: Answers<T>,
    { key, group, form, slot }: { key: string; group: Group; form: string; slot: Slot },
    read: (asked: ManyExposed, keys: readonly string[], signal: AbortSignal) => Promise<readonly T[]>,
  ): Promise<T | undefined> | undefined {
    const known = answers.get(key);
    if (known !== undefined || this.#apart.get(form)) return known;
    const open = group.filter(([other]) => other === key || !answers.has(other));
    const together = [...open.filter(([other]) => other === key), ...open.filter(([other]) => other !== key)];
    const asked = together.slice(0, mostTogether);
    const [first] = asked;
    if (first === undefined || asked.length < 2) return undefined;
    const { scope } = first[1].exposed;
    const flags = asked.map(([, { exposed }]) => exposed);
    const keys = asked.map(([other]) => other);
    const answer = read({ scope, toMs: slot.toMs, flags }, keys, AbortSignal.timeout(longestMs)).catch(
      (error: unknown): readonly T[] => {
        // A store that is away, or a full lane, answers none of them.
        if (!(error instanceof Failure) || error.status >= 429) throw error;
        this.#apart.set(form, true);
        return [];
      },
    );
    for (const [at, other] of keys.entries())
      keep(
        answers,
        other,
        answer.then((all) => all[at]),
      );
    return answers.get(key);
  }
}

function newSlot(toMs: number): Slot {
  return { toMs, units: new Map(), sums: new Map() };
}

function keep<T>(answers: Answers<T>, key: string, answer: Promise<T | undefined>): void {
  answers.set(key, answer);
  // Callers that await it get the error; without any, it would be an unhandled rejection.
  answer.catch(() => answers.delete(key));
}
