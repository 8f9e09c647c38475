import type { Agent } from 'node:http';

/** Options of `new FanionProvider(…)`. Durations are in milliseconds. */
export interface FanionProviderOptions {
  /** URL of the Fanion server: `https://flags.example.com`, including a path if it is served below one. */
  readonly endpoint: string;
  /** An SDK key of kind `server`: `svc_sdk_…`. It names the project and the environment. */
  readonly sdkKey: string;
  /** Whether to follow the stream of changes; otherwise the ruleset is polled. Default true. */
  readonly streaming?: boolean;
  /**
   * Time between two polls if streaming is off, and the longest such time if streaming is not possible. Default 30 000.
   */
  readonly pollIntervalMs?: number;
  /** How long `setProviderAndWait` waits for the first ruleset. Default 5 000. */
  readonly initTimeoutMs?: number;
  /** How long the server may be unreachable before the provider reports that it is stale. Default 30 000. */
  readonly staleAfterMs?: number;
  /** Directory for the last good ruleset, which is served if the server is down at the start. Default: none. */
  readonly cacheDirectory?: string;
  /** Reports evaluations as OpenTelemetry events. Default: nothing is reported. */
  readonly exposures?: ExposureOptions;
  /** HTTP agent, for a proxy or your own certificates. You must destroy it yourself. Default: Node's agent. */
  readonly agent?: Agent;
  /** Gets errors that the provider survived. OpenFeature's events report the same. Default: nothing is logged. */
  readonly logger?: ProviderLogger;
}

export interface ProviderLogger {
  warn(message: string): void;
}

export interface ExposureOptions {
  /** A `Logger` of `@opentelemetry/api-logs`: `logs.getLogger('fanion')`. */
  readonly logger: ExposureLogger;
  /** A unit that gets the same variant of the same version is reported once in this time. Default 600 000. */
  readonly windowMs?: number;
  /** How many of these are remembered; beyond it the oldest are forgotten and may be reported again. Default 50 000. */
  readonly maxEntries?: number;
}

/** The used part of OpenTelemetry's `Logger`, so that this package does not depend on it. */
export interface ExposureLogger {
  emit(record: ExposureRecord): void;
}

/** An event by OpenTelemetry's semantic conventions for feature flags. */
export interface ExposureRecord {
  eventName: string;
  severityNumber: number;
  attributes: Record<string, string>;
}

/** The validated and complete options. */
export interface Settings {
  /** Without a trailing slash. */
  readonly endpoint: string;
  readonly sdkKey: string;
  readonly streaming: boolean;
  readonly pollIntervalMs: number;
  readonly initTimeoutMs: number;
  readonly staleAfterMs: number;
  readonly cacheDirectory: string | undefined;
  readonly exposures: Required<ExposureOptions> | undefined;
  readonly agent: Agent | undefined;
  readonly logger: ProviderLogger;
}

/** @throws TypeError that names the invalid option */
export function settingsOf(options: FanionProviderOptions): Settings {
  const { sdkKey, streaming = true, agent, cacheDirectory, exposures } = options;
  if (typeof sdkKey !== 'string' || !/^[\x21-\x7e]+$/.test(sdkKey)) {
    throw new TypeError('FanionProvider: sdkKey is needed (svc_sdk_…)');
  }
  return {
    endpoint: endpointOf(options.endpoint),
    sdkKey,
    streaming,
    pollIntervalMs: positive('pollIntervalMs', options.pollIntervalMs ?? 30_000),
    initTimeoutMs: positive('initTimeoutMs', options.initTimeoutMs ?? 5_000),
    staleAfterMs: positive('staleAfterMs', options.staleAfterMs ?? 30_000),
    cacheDirectory,
    exposures: exposures && {
      logger: exposures.logger,
      windowMs: positive('exposures.windowMs', exposures.windowMs ?? 600_000),
      maxEntries: positive('exposures.maxEntries', exposures.maxEntries ?? 50_000),
    },
    agent,
    logger: harmless(options.logger),
  };
}

/** An error of the logger must not stop the provider. */
function harmless(logger: ProviderLogger | undefined): ProviderLogger {
  return {
    warn(message) {
      try {
        logger?.warn(message);
      } catch {
        // There is nowhere left to report it.
      }
    },
  };
}

function endpointOf(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new TypeError(`FanionProvider: endpoint has to be an http(s) URL, not ${JSON.stringify(endpoint)}`);
  }
  return url.href.replace(/\/+$/, '');
}

/** Node's timers take at most 2^31-1 ms and fire at once beyond it. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function positive(name: string, value: number): number {
  if (typeof value !== 'number' || !(value > 0) || value > MAX_TIMER_MS) {
    throw new TypeError(`FanionProvider: ${name} has to be a number above 0 and at most ${MAX_TIMER_MS}`);
  }
  return value;
}
