import type { Agent } from 'node:http';

/** What `new FanionProvider(…)` takes. Durations are milliseconds. */
export interface FanionProviderOptions {
  /** Where the Fanion server is: `https://flags.example.com`, with a path where it is served below one. */
  readonly endpoint: string;
  /** An SDK key of kind `server`: `svc_sdk_…`. It names the project and the environment. */
  readonly sdkKey: string;
  /** Follow the stream of changes; without it the ruleset is polled. Default true. */
  readonly streaming?: boolean;
  /** Between two polls where streaming is off, and at most where it is not possible. Default 30 000. */
  readonly pollIntervalMs?: number;
  /** How long `setProviderAndWait` waits for the first ruleset. Default 5 000. */
  readonly initTimeoutMs?: number;
  /** How long the server may be out of reach before the provider says that it is stale. Default 30 000. */
  readonly staleAfterMs?: number;
  /** A directory for the last good ruleset, which is served when the server is away at start. Default: none is kept. */
  readonly cacheDirectory?: string;
  /** Reports which variants were served, as OpenTelemetry events. Default: nothing is reported. */
  readonly exposures?: ExposureOptions;
  /** How to connect: for a proxy, or certificates of your own. It stays yours to destroy. Default: Node's own way. */
  readonly agent?: Agent;
  /** Told what went wrong and was survived. OpenFeature's events carry the same; default: nothing is logged. */
  readonly logger?: ProviderLogger;
}

export interface ProviderLogger {
  warn(message: string): void;
}

export interface ExposureOptions {
  /** A `Logger` of `@opentelemetry/api-logs`: `logs.getLogger('fanion')`. */
  readonly logger: ExposureLogger;
  /** The same unit that is served the same variant of the same version is reported once in this time. Default 600 000. */
  readonly windowMs?: number;
  /** How many are remembered for that; beyond it the oldest are forgotten and may be told again. Default 50 000. */
  readonly maxEntries?: number;
}

/** As much of OpenTelemetry's `Logger` as is used, so that this package does not depend on it. */
export interface ExposureLogger {
  emit(record: ExposureRecord): void;
}

/** An event by OpenTelemetry's semantic conventions for feature flags. */
export interface ExposureRecord {
  eventName: string;
  severityNumber: number;
  attributes: Record<string, string>;
}

/** The options, checked and complete. */
export interface Settings {
  /** Without a slash at its end. */
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

/** @throws TypeError that names the option that is wrong */
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

/** What a logger throws must not end the following of changes. */
function harmless(logger: ProviderLogger | undefined): ProviderLogger {
  return {
    warn(message) {
      try {
        logger?.warn(message);
      } catch {
        // There is nobody left to tell.
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
