/** Options of `new FanionWebProvider(…)`. Durations are in milliseconds. */
export interface FanionWebProviderOptions {
  /** URL of the Fanion server: `https://flags.example.com`, including a path if it is served below one. */
  readonly endpoint: string;
  /** An SDK key of kind `client` that allows the origin of the page: `svc_sdk_…`. It is public. */
  readonly clientKey: string;
  /** Whether to follow the stream of changes; otherwise flags are polled. Default true. */
  readonly streaming?: boolean;
  /** Time between two polls if streaming is off or not possible. Default 60 000. */
  readonly pollIntervalMs?: number;
  /** How long one request for flags may take. Default 5 000. */
  readonly timeoutMs?: number;
}

/** The validated and complete options; `endpoint` has no slash at its end. */
export type Settings = Required<FanionWebProviderOptions>;

/** @throws TypeError that names the invalid option */
export function settingsOf(options: FanionWebProviderOptions): Settings {
  const { endpoint, clientKey, streaming = true, pollIntervalMs = 60_000, timeoutMs = 5_000 } = options;
  if (!/^https?:\/\/[^?#]+$/.test(endpoint))
    throw new TypeError(`FanionWebProvider: endpoint has to be an http(s) URL, not ${JSON.stringify(endpoint)}`);
  if (typeof clientKey !== 'string' || !/^[\x21-\x7e]+$/.test(clientKey))
    throw new TypeError('FanionWebProvider: clientKey is needed (svc_sdk_…)');
  return {
    endpoint: endpoint.replace(/\/+$/, ''),
    clientKey,
    streaming,
    pollIntervalMs: positive('pollIntervalMs', pollIntervalMs),
    timeoutMs: positive('timeoutMs', timeoutMs),
  };
}

/** Timers take at most 2^31-1 ms and fire at once beyond it. */
const maxTimerMs = 2 ** 31 - 1;

function positive(name: string, value: number): number {
  if (typeof value !== 'number' || !(value > 0) || value > maxTimerMs)
    throw new TypeError(`FanionWebProvider: ${name} has to be a number above 0 and at most ${maxTimerMs}`);
  return value;
}
