import {
  ErrorCode,
  type EvaluationContext,
  GeneralError,
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  ProviderEvents,
  ProviderFatalError,
} from '@openfeature/web-sdk';
import { type Answers, changedFlags, FetchFailure, fetchAnswers } from './answers.ts';
import { createCache } from './cache.ts';
import { type FanionWebProviderOptions, type Settings, settingsOf } from './options.ts';
import { type FlagType, resolveFlag } from './resolve.ts';
import { openStream, type Stream, watchPage } from './stream.ts';

/** First wait after a failure; doubles with each further one, up to the poll interval. */
const baseMs = 1_000;

/**
 * OpenFeature provider for browsers: it fetches the flags of the current context, follows their changes, and answers from
 * memory.
 *
 *     await OpenFeature.setContext({ targetingKey: user.id });
 *     await OpenFeature.setProviderAndWait(new FanionWebProvider({ endpoint: 'https://flags.example.com', clientKey }));
 *
 * Evaluation never waits and never throws; while the server is down, answers only become older.
 */
export class FanionWebProvider implements Provider {
  readonly metadata = { name: 'fanion-web' } as const;
  readonly runsOn = 'client';
  readonly events = new OpenFeatureEventEmitter();
  readonly #settings: Settings;
  readonly #cache = createCache();
  #context: EvaluationContext = {};
  #answers: Answers | undefined;
  /** Counts requests. */
  #asked = 0;
  /** Late answers to requests before this one are dropped: there are newer flags, or another context. */
  #oldest = 0;
  #failures = 0;
  #isStale = false;
  #isHidden = false;
  #stream: Stream | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #unwatch: (() => void) | undefined;

  /** @throws TypeError that names the option that is wrong */
  constructor(options: FanionWebProviderOptions) {
    this.#settings = settingsOf(options);
  }

  /**
   * Called by OpenFeature. Resolves with the first flags.
   *
   * @throws ProviderFatalError if the server rejects the key; there are no further attempts
   * @throws GeneralError if the flags cannot be had; attempts continue, and `PROVIDER_READY` reports success
   */
  async initialize(context: EvaluationContext = {}): Promise<void> {
    await this.#switch(context);
  }

  /** Called by OpenFeature. Without an answer, flags that were fetched for this context before are used. */
  async onContextChange(_before: EvaluationContext, context: EvaluationContext): Promise<void> {
    await this.#switch(context);
  }

  /** Called by OpenFeature. Afterwards nothing runs. */
  async onClose(): Promise<void> {
    this.#oldest = ++this.#asked;
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#closeStream();
    clearTimeout(this.#timer);
    clearTimeout(this.#idle);
  }

  resolveBooleanEvaluation(key: string, defaultValue: boolean) {
    return this.#resolve(key, 'boolean', defaultValue);
  }

  resolveStringEvaluation(key: string, defaultValue: string) {
    return this.#resolve(key, 'string', defaultValue);
  }

  resolveNumberEvaluation(key: string, defaultValue: number) {
    return this.#resolve(key, 'number', defaultValue);
  }

  resolveObjectEvaluation<T extends JsonValue>(key: string, defaultValue: T) {
    return this.#resolve(key, 'object', defaultValue);
  }

  #resolve<T extends JsonValue>(key: string, type: FlagType, defaultValue: T) {
    return resolveFlag(this.#answers, key, type, defaultValue);
  }

  async #switch(context: EvaluationContext): Promise<void> {
    const asked = ++this.#asked;
    this.#oldest = asked;
    this.#context = context;
    this.#unwatch ??= watchPage((isHidden) => this.#pageChanged(isHidden));
    try {
      const answers = await fetchAnswers(this.#settings, context, this.#cache.get(context), undefined);
      if (asked < this.#oldest) return;
      this.#hold(answers, asked);
      this.#isStale = false;
    } catch (error) {
      if (asked < this.#oldest) return;
      // Those of another context would be wrong.
      this.#answers = this.#cache.get(context);
      const failure = failureOf(error);
      if (failure.isDenied) {
        await this.onClose();
        throw new ProviderFatalError(failure.message);
      }
      this.#retry(failure);
      if (this.#answers === undefined) throw new GeneralError(failure.message);
    }
  }

  /** Fetches the flags of the current context again. */
  async #refresh(announced?: string): Promise<void> {
    const asked = ++this.#asked;
    try {
      const answers = await fetchAnswers(this.#settings, this.#context, this.#answers, announced);
      if (asked < this.#oldest) return;
      const before = this.#answers;
      const flagsChanged = answers === before ? [] : changedFlags(before, answers);
      this.#hold(answers, asked);
      if (before === undefined || this.#isStale) this.events.emit(ProviderEvents.Ready, {});
      this.#isStale = false;
      if (before !== undefined && flagsChanged.length > 0)
        this.events.emit(ProviderEvents.ConfigurationChanged, { flagsChanged });
    } catch (error) {
      // The outcome of a newer request counts.
      if (asked < this.#asked) return;
      const failure = failureOf(error);
      if (!failure.isDenied) return this.#retry(failure);
      await this.onClose();
      this.events.emit(ProviderEvents.Error, { errorCode: ErrorCode.PROVIDER_FATAL, message: failure.message });
    }
  }

  #hold(answers: Answers, asked: number): void {
    this.#oldest = asked;
    this.#answers = answers;
    this.#cache.keep(this.#context, answers);
    this.#failures = 0;
    this.#openStream(answers);
    this.#after(this.#settings.pollIntervalMs, () => this.#poll());
  }

  /** Only while the page is visible: a hidden one would keep it open without a limit. */
  #openStream({ stream }: Answers): void {
    const isWanted = this.#settings.streaming && !this.#isHidden && this.#stream === undefined;
    if (!isWanted || stream === undefined || typeof EventSource === 'undefined') return;
    const opened = openStream(
      stream,
      (tag) => void this.#refresh(tag),
      () => this.#streamEnded(opened),
    );
    this.#stream = opened;
  }

  /** Only while no stream brings the changes. */
  #poll(): void {
    if (this.#stream?.isOpen) this.#after(this.#settings.pollIntervalMs, () => this.#poll());
    else void this.#refresh();
  }

  #retry({ message, retryAfterMs }: FetchFailure): void {
    if (this.#answers !== undefined && !this.#isStale) {
      this.#isStale = true;
      this.events.emit(ProviderEvents.Stale, { message });
    }
    const longest = Math.min(this.#settings.pollIntervalMs, baseMs * 2 ** Math.min(this.#failures++, 30));
    this.#after(retryAfterMs + Math.random() * longest, () => void this.#refresh());
  }

  /** A new ticket comes with the next answer that is not 304. */
  #streamEnded(ended: Stream): void {
    if (this.#stream !== ended) return;
    this.#stream = undefined;
    if (this.#answers !== undefined) this.#answers = { ...this.#answers, etag: null };
    this.#after(baseMs + Math.random() * this.#settings.pollIntervalMs, () => void this.#refresh());
  }

  #pageChanged(isHidden: boolean): void {
    this.#isHidden = isHidden;
    clearTimeout(this.#idle);
    if (isHidden) {
      const inactivityMs = this.#answers?.stream?.inactivityMs;
      if (this.#stream !== undefined && inactivityMs !== undefined)
        this.#idle = setTimeout(() => this.#closeStream(), inactivityMs);
    } else if (this.#stream === undefined && this.#answers !== undefined) void this.#refresh();
  }

  #closeStream(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }

  /** One timer: the next step replaces the one that waits. */
  #after(milliseconds: number, step: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(step, milliseconds);
  }
}

function failureOf(error: unknown): FetchFailure {
  return error instanceof FetchFailure ? error : new FetchFailure(String(error), false);
}
