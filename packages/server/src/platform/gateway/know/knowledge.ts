import { isDeepStrictEqual } from 'node:util';
import {
  type CatalogueMetric,
  type Compiled,
  DIAGNOSTIC_CODES,
  type FieldCatalogue,
  type KnownMetrics,
  type MetricRollUps,
} from '@fanion/oql';
import type { Clock } from '../../clock.ts';
import type { ScopedTelemetry, TelemetryScope } from '../../scoped-telemetry.ts';
import { TtlCache } from '../../ttl-cache.ts';
import { Held } from './held.ts';
import { mayNamePlaces, namedIn } from './name-rules.ts';
import { covers } from './roll-up-rules.ts';
import { listAttributes, listMetricKinds, listRollUps, type Reach } from './store.ts';

/** Each is at most a few thousand names. */
const maxScopes = 200;
const maxLists = 2_000;
/** An attribute that is new for less than this may be missing inside of maps and under a former name. */
const fieldsAgeMs = 5_000;
/** How long what a statement has refuted is not assumed again: trying costs one more statement. */
const refutedMs = 600_000;
const dayNs = 86_400_000_000_000n;
const hourNs = 3_600_000_000_000n;

const unseen: ReadonlySet<string> = new Set([
  DIAGNOSTIC_CODES.UNSEEN_FIELD,
  DIAGNOSTIC_CODES.UNSEEN_METRIC,
  DIAGNOSTIC_CODES.UNSEEN_TYPE,
]);

/** Every place in which a value may be is read. */
const UNKNOWN: FieldCatalogue = { fields: [], partial: true };

/** What a statement assumes of rows, and fails at one that is otherwise. */
export type Assumption = 'alike' | 'kind' | 'integers' | 'texts';

/** What a query needs to know. */
export interface Wanted {
  /** Its text: of attributes, those that it names, also inside of maps and by former names. */
  readonly text: string;
  /** What may be read: its window, unless it looks back. */
  readonly reach: Reach;
  readonly metrics: readonly string[];
  /** Metrics whose roll-ups it can be answered from. */
  readonly rolledUp: readonly string[];
  /** All attributes and metrics, so that it can be told which it may have meant. */
  readonly hints: boolean;
}

/** What is known for a query, and assumed to be still so. */
export interface Known {
  readonly wanted: Wanted;
  /** All attributes, of which `catalogue` has those that are wanted; undefined: none are. */
  readonly fields: FieldCatalogue | undefined;
  readonly catalogue: FieldCatalogue | undefined;
  /** Empty: none of its metrics was ever sent, or the store does not answer. */
  readonly kinds: readonly CatalogueMetric[];
  /** For hints: the same, with those of all metrics where one of the named was never sent. */
  readonly told: readonly CatalogueMetric[] | undefined;
  /** What it is compiled for; undefined: for metrics of any kind. */
  readonly types: KnownMetrics | undefined;
}

/** Whether what was known still holds; `unanswered`: the store does not say. */
export type Check = 'holds' | 'changed' | 'unanswered';

interface KnowledgeOptions {
  telemetry: ScopedTelemetry;
  clock: Clock;
}

/**
 * What this server knows of each scope: names, types and places of attributes, kinds of metrics, coverage of roll-ups, and what statements have
 * refuted. `of` does not wait for the store where something is held, however old; `check` then asks the store, beside the statement.
 */
export class Knowledge {
  readonly #options: KnowledgeOptions;
  readonly #attributes: Held<FieldCatalogue>;
  readonly #kinds: Held<readonly CatalogueMetric[]>;
  readonly #rollUps: Held<readonly MetricRollUps[]>;
  readonly #refuted: TtlCache<string, true>;

  constructor(options: KnowledgeOptions) {
    this.#options = options;
    this.#attributes = new Held<FieldCatalogue>({ clock: options.clock, max: maxScopes });
    this.#kinds = new Held<readonly CatalogueMetric[]>({ clock: options.clock, max: maxLists });
    this.#rollUps = new Held<readonly MetricRollUps[]>({ clock: options.clock, max: maxLists });
    this.#refuted = new TtlCache<string, true>({ clock: options.clock, ttlMs: refutedMs, max: maxLists });
  }

  async of(scope: TelemetryScope, wanted: Wanted): Promise<Known> {
    const { text, reach, metrics, rolledUp, hints } = wanted;
    const needsFields = hints || mayNamePlaces(text);
    const [fields, found, ofRollUps = []] = await Promise.all([
      needsFields ? this.#attributesOf(scope, reach.fromNs).then((all = UNKNOWN) => all) : undefined,
      metrics.length > 0 ? this.#kindsOf(scope, reach.fromNs, metrics) : undefined,
      rolledUp.length > 0 ? this.#rollUpsOf(scope, wanted) : undefined,
    ]);
    const told = await this.#toldOf(scope, wanted, found);
    const catalogue = fields && (hints ? fields : namedIn(text, fields));
    return {
      wanted,
      fields,
      catalogue: catalogue && { ...catalogue, ...(told && { metrics: told }) },
      kinds: found ?? [],
      told,
      types:
        found === undefined || found.length === 0
          ? undefined
          : {
              metrics: found,
              checked: true,
              alike: !this.#isRefuted(scope, wanted.metrics, 'alike'),
              integers: this.#isRefuted(scope, wanted.metrics, 'integers'),
              ...(ofRollUps.length > 0 && { rollUps: ofRollUps }),
            },
    };
  }

  /** The same without any assumption: its statement is right whatever there is. */
  nothing(scope: TelemetryScope, wanted: Wanted): Known {
    return {
      wanted,
      fields: undefined,
      catalogue: mayNamePlaces(wanted.text) ? UNKNOWN : undefined,
      kinds: [],
      told: undefined,
      // Aggregates compute in integers.
      types: this.#isRefuted(scope, wanted.metrics, 'integers') ? { metrics: [], integers: true } : undefined,
    };
  }

  /**
   * @param moment of the question, in milliseconds since the epoch, so that its answer has all that was stored by then
   */
  async check(
    scope: TelemetryScope,
    { wanted, fields, kinds: assumed, told, types }: Known,
    plan: Pick<Compiled, 'warnings' | 'checksKinds'>,
    moment: number,
  ): Promise<Check> {
    const { text, reach, metrics, hints } = wanted;
    // Only a fresh read can prove that something was never sent.
    const claims = hints && plan.warnings.some(({ code }) => unseen.has(code));
    const checksKinds = metrics.length > 0 && (claims || (types?.checked === true && !plan.checksKinds));
    const [ofFields, ofKinds, ofRollUps] = await Promise.all([
      fields && this.#attributesOf(scope, reach.fromNs, claims ? moment : moment - fieldsAgeMs),
      checksKinds ? this.#kindsOf(scope, reach.fromNs, metrics, moment) : assumed,
      types?.rollUps ? this.#rollUpsOf(scope, wanted, moment) : [],
    ]);
    if ((fields && !ofFields) || !ofKinds || !ofRollUps) return 'unanswered';
    const isSame =
      (fields === ofFields || areSame(text, fields ?? UNKNOWN, ofFields ?? UNKNOWN)) &&
      isDeepStrictEqual(ofKinds, assumed) &&
      (!claims || isDeepStrictEqual(await this.#toldOf(scope, wanted, ofKinds, moment), told)) &&
      covers(ofRollUps, types?.rollUps ?? []);
    return isSame ? 'holds' : 'changed';
  }

  /** Whether what is known for one reach is known for another. */
  reaches(known: Reach, needed: Reach): boolean {
    return this.#dayOf(known.fromNs) <= this.#dayOf(needed.fromNs);
  }

  /** Whether no statement has found a value of these attributes that is not a text (`Compiled.ofTexts`). */
  areTexts(scope: TelemetryScope, names: readonly string[]): boolean {
    return !this.#isRefuted(scope, names, 'texts');
  }

  /** A statement has found an assumption about attributes or metrics not to hold. */
  refute(scope: TelemetryScope, names: readonly string[], failed: Assumption): void {
    if (failed === 'kind') this.#kinds.clear();
    else this.#refuted.set(keyOf(scope, failed, names), true);
  }

  /** The attributes that a text names, as they were at most five seconds ago; undefined if it names none that may be elsewhere. */
  async places(scope: TelemetryScope, text: string, fromNs: bigint): Promise<FieldCatalogue | undefined> {
    if (!mayNamePlaces(text)) return undefined;
    return namedIn(text, (await this.#attributesOf(scope, fromNs, this.#options.clock.now() - fieldsAgeMs)) ?? UNKNOWN);
  }

  /** Telemetry was removed. */
  forget(): void {
    for (const held of [this.#attributes, this.#kinds, this.#rollUps]) held.clear();
  }

  /** The start of the day of a moment, at least one day ago: queries of recent windows share what is held. */
  #dayOf(fromNs: bigint): bigint {
    const dayAgo = BigInt(this.#options.clock.now()) * 1_000_000n - dayNs;
    const least = fromNs < dayAgo ? fromNs : dayAgo;
    return least < 0n ? 0n : least - (least % dayNs);
  }

  #attributesOf(scope: TelemetryScope, fromNs: bigint, moment?: number) {
    const day = this.#dayOf(fromNs);
    return this.#attributes.get(keyOf(scope, String(day)), moment, async (signal) => {
      const { fields, isWhole } = await listAttributes(this.#options.telemetry, scope, day, signal);
      return isWhole ? { fields } : { fields, partial: true };
    });
  }

  #kindsKey(scope: TelemetryScope, fromNs: bigint, names: readonly string[] | undefined) {
    return keyOf(scope, String(this.#dayOf(fromNs)), names ?? null);
  }

  #kindsOf(scope: TelemetryScope, fromNs: bigint, names: readonly string[] | undefined, moment?: number) {
    const reach = { fromNs: this.#dayOf(fromNs), toNs: BigInt(this.#options.clock.now()) * 1_000_000n + dayNs };
    return this.#kinds.get(this.#kindsKey(scope, fromNs, names), moment, (signal) =>
      listMetricKinds(this.#options.telemetry, scope, reach, names, signal),
    );
  }

  #rollUpsOf(scope: TelemetryScope, { reach, rolledUp }: Wanted, moment?: number) {
    const hours = [reach.fromNs / hourNs, (reach.toNs + hourNs - 1n) / hourNs].map(String);
    return this.#rollUps.get(keyOf(scope, hours, rolledUp), moment, (signal) =>
      listRollUps(this.#options.telemetry, scope, rolledUp, reach, signal),
    );
  }

  #isRefuted(scope: TelemetryScope, names: readonly string[], one: Assumption) {
    return this.#refuted.get(keyOf(scope, one, names)) === true;
  }

  /** Kinds for hints: those of all metrics, where one of the named was never sent. */
  async #toldOf(
    scope: TelemetryScope,
    { reach, metrics, hints }: Wanted,
    found: readonly CatalogueMetric[] = [],
    moment?: number,
  ): Promise<readonly CatalogueMetric[] | undefined> {
    if (!hints || metrics.length === 0) return undefined;
    if (metrics.every((name) => found.some((one) => one.name === name))) return found;
    const all = await this.#kindsOf(scope, reach.fromNs, undefined, moment);
    return all && [...found, ...all];
  }
}

function areSame(text: string, before: FieldCatalogue, now: FieldCatalogue): boolean {
  return isDeepStrictEqual(namedIn(text, before), namedIn(text, now));
}

function keyOf({ workspace, project, environment }: TelemetryScope, ...more: readonly unknown[]): string {
  return JSON.stringify([workspace, project, environment, ...more]);
}
