import type { Ruleset } from '@fanion/flag-engine';
import {
  type EvaluationContext,
  GeneralError,
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  ProviderEvents,
  ProviderFatalError,
  type ResolutionDetails,
} from '@openfeature/server-sdk';
import { openCache, type RulesetCache } from './cache.ts';
import { createExposures, type Exposure } from './exposures.ts';
import type { ServerFailure } from './failure.ts';
import { follow } from './follow.ts';
import { createFreshness, type Freshness } from './freshness.ts';
import { type HeldRuleset, holdRuleset } from './held.ts';
import { type FanionProviderOptions, type Settings, settingsOf } from './options.ts';
import { type FlagTypes, resolveFlag, targetingKeyOf } from './resolve.ts';

/** The result of the start: the server's ruleset, or the one from disk. */
type Start = 'fresh' | 'stale';

/**
 * OpenFeature provider for Node that evaluates in process: it downloads the ruleset of one environment, follows its
 * changes, and answers from memory.
 *
 *     await OpenFeature.setProviderAndWait(new FanionProvider({ endpoint: 'https://flags.example.com', sdkKey }));
 *
 * Evaluation never waits and never throws; while the server is down, answers only become older. `OpenFeature.close()`
 * ends the connection.
 */
export class FanionProvider implements Provider {
  readonly metadata = { name: 'fanion' } as const;
  readonly runsOn = 'server';
  readonly events = new OpenFeatureEventEmitter();
  readonly #settings: Settings;
  readonly #cache: RulesetCache | undefined;
  readonly #held: HeldRuleset;
  readonly #expose: ((exposure: Exposure) => void) | undefined;
  #running: { readonly started: Promise<void>; stop(): Promise<void> } | undefined;
  #warned = false;

  /** @throws TypeError that names the option that is wrong */
  constructor(options: FanionProviderOptions) {
    const settings = settingsOf(options);
    const { cacheDirectory, exposures } = settings;
    this.#settings = settings;
    this.#cache = cacheDirectory === undefined ? undefined : openCache(cacheDirectory, settings);
    this.#expose = exposures && createExposures(exposures, this.metadata.name, () => performance.now());
    this.#held = holdRuleset((ruleset, flagsChanged) => {
      this.#cache?.save(ruleset);
      if (flagsChanged === undefined) return;
      this.events.emit(ProviderEvents.ConfigurationChanged, {
        flagsChanged,
        metadata: { rulesetVersion: ruleset.version },
      });
    });
  }

  /**
   * Called by OpenFeature. Resolves with the first ruleset: the server's, or if it is down the one from disk, after
   * which `PROVIDER_STALE` is emitted.
   *
   * @throws ProviderFatalError if the server rejects the key; there are no further attempts
   * @throws GeneralError if there is no ruleset in time; attempts continue, and `PROVIDER_READY` reports success
   */
  initialize(): Promise<void> {
    this.#running ??= this.#run();
    return this.#running.started;
  }

  /** Called by OpenFeature. Afterwards nothing runs, and the last ruleset is on disk. */
  async onClose(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.stop();
  }

  resolveBooleanEvaluation(key: string, defaultValue: boolean, context: EvaluationContext) {
    return this.#resolve(key, 'boolean', defaultValue, context);
  }

  resolveStringEvaluation(key: string, defaultValue: string, context: EvaluationContext) {
    return this.#resolve(key, 'string', defaultValue, context);
  }

  resolveNumberEvaluation(key: string, defaultValue: number, context: EvaluationContext) {
    return this.#resolve(key, 'number', defaultValue, context);
  }

  /** The value is frozen: all callers get the same object. */
  resolveObjectEvaluation<T extends JsonValue>(key: string, defaultValue: T, context: EvaluationContext) {
    return this.#resolve(key, 'object', defaultValue, context);
  }

  async #resolve<K extends keyof FlagTypes, T extends FlagTypes[K]>(
    key: string,
    type: K,
    defaultValue: T,
    context: EvaluationContext | undefined,
  ): Promise<ResolutionDetails<T>> {
    const { compiled } = this.#held;
    const { details, served } = resolveFlag(compiled, key, type, defaultValue, context ?? {});
    if (served === undefined || compiled === undefined || this.#expose === undefined) return details;
    try {
      this.#expose({ evaluation: served, unit: targetingKeyOf(context ?? {}), flagSetId: compiled.flagSetId });
    } catch (error) {
      // The caller's logger: its errors are logged once and do not affect evaluation.
      if (!this.#warned) this.#settings.logger.warn(`fanion: exposures could not be reported: ${String(error)}`);
      this.#warned = true;
    }
    return details;
  }

  #run(): { readonly started: Promise<void>; stop(): Promise<void> } {
    const settings = this.#settings;
    const held = this.#held;
    const ended = new AbortController();
    let saved: Promise<Ruleset | undefined> | undefined;
    const freshness = createFreshness(settings.staleAfterMs, (state, message) => this.#tell(state, message));
    const start = settle<Start>();

    /** The ruleset from disk is the fallback, so it is read only if the server did not answer. */
    const fallBack = async (otherwise: Error | undefined): Promise<void> => {
      saved ??= this.#cache?.load();
      const ruleset = await saved;
      if (start.settled || ended.signal.aborted) return;
      if (ruleset !== undefined && held.ruleset === undefined) held.offer(ruleset);
      if (held.ruleset !== undefined) start.resolve('stale');
      else if (otherwise !== undefined) start.reject(otherwise);
    };
    const timer = setTimeout(() => {
      void fallBack(new GeneralError(`no ruleset within ${settings.initTimeoutMs} ms: ${lastFailure ?? 'no answer'}`));
    }, settings.initTimeoutMs);

    let lastFailure: string | undefined;
    const onLost = (failure: ServerFailure) => {
      lastFailure = failure.message;
      settings.logger.warn(`fanion: ${failure.message}`);
      if (failure.kind === 'unavailable') {
        freshness.lost(failure.message);
        if (!start.settled) void fallBack(undefined);
      } else if (start.settled) freshness.denied(failure.message);
      else start.reject(new ProviderFatalError(failure.message));
    };
    const onContact = () => {
      freshness.contact();
      start.resolve('fresh');
    };

    const following = follow({ settings, held, signal: ended.signal, onContact, onLost });
    const stop = async () => {
      clearTimeout(timer);
      freshness.end();
      ended.abort();
      start.reject(new GeneralError('the provider was closed'));
      await following;
      await this.#cache?.flush();
    };
    const started = start.promise.then(
      (how) => {
        clearTimeout(timer);
        // OpenFeature emits READY after this promise; STALE must follow it.
        if (how === 'fresh') freshness.begin(how);
        else setImmediate(() => ended.signal.aborted || freshness.begin(how));
      },
      async (error: unknown) => {
        clearTimeout(timer);
        freshness.begin('failed');
        if (error instanceof ProviderFatalError) {
          this.#running = undefined;
          await stop();
        }
        throw error;
      },
    );
    return { started, stop };
  }

  #tell(state: Freshness, message: string | undefined): void {
    const details = message === undefined ? {} : { message };
    if (state === 'fresh') this.events.emit(ProviderEvents.Ready, details);
    else if (state === 'stale') this.events.emit(ProviderEvents.Stale, details);
    else this.events.emit(ProviderEvents.Error, details);
  }
}

/** A promise that is settled from outside; the first call counts. */
function settle<T>() {
  let settled = false;
  let resolvePromise: (value: T) => void = () => {};
  let rejectPromise: (error: Error) => void = () => {};
  const promise = new Promise<T>((resolve, reject) => {
    resolvePromise = resolve;
    rejectPromise = reject;
  });
  return {
    promise,
    get settled() {
      return settled;
    },
    resolve(value: T) {
      settled = true;
      resolvePromise(value);
    },
    reject(error: Error) {
      settled = true;
      rejectPromise(error);
    },
  };
}
