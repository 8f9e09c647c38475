import * as client from 'openid-client';
import { ConfigError } from '../../../../config/error.ts';
import type { OidcConfig } from '../../../../config/oidc.ts';
import type { Clock } from '../../../../platform/clock.ts';
import { refusedIssuer } from './rules.ts';

export type { OidcConfig };

/** A provider that has answered discovery. */
export interface Provider {
  readonly config: OidcConfig;
  readonly configuration: client.Configuration;
}

export interface Providers {
  /** undefined: no provider has this slug. Throws the fetch error when the provider does not answer. */
  find(slug: string): Promise<Provider> | undefined;
}

const discoveryMs = 60 * 60_000;
const timeoutSeconds = 5;
const maxAnswerBytes = 1024 ** 2;

/**
 * The providers of the configuration. Each is discovered when it is first needed and again after an hour; while it does
 * not answer, its earlier answer stays valid. Throws `ConfigError` for an issuer that is not allowed.
 */
export function createProviders(configs: readonly OidcConfig[], clock: Clock): Providers {
  for (const { slug, issuer } of configs) {
    const refused = refusedIssuer(issuer);
    if (refused !== undefined) throw new ConfigError(`FANION_OIDC_${slug.toUpperCase()}_ISSUER: ${issuer} ${refused}`);
  }
  const known = new Map<string, { provider: Provider; until: number }>();
  const asking = new Map<string, Promise<Provider>>();

  function ask(config: OidcConfig): Promise<Provider> {
    const running = asking.get(config.slug);
    if (running !== undefined) return running;
    const asked = discover(config)
      .then((configuration) => {
        const provider = { config, configuration };
        known.set(config.slug, { provider, until: clock.now() + discoveryMs });
        return provider;
      })
      .finally(() => asking.delete(config.slug));
    asking.set(config.slug, asked);
    return asked;
  }

  return {
    find(slug) {
      const config = configs.find((candidate) => candidate.slug === slug);
      if (config === undefined) return undefined;
      const entry = known.get(slug);
      if (entry === undefined) return ask(config);
      if (entry.until > clock.now()) return Promise.resolve(entry.provider);
      return ask(config).catch(() => entry.provider);
    },
  };
}

async function discover({ issuer, clientId, clientSecret }: OidcConfig): Promise<client.Configuration> {
  const url = new URL(issuer);
  const post = client.ClientSecretPost(clientSecret);
  const basic = client.ClientSecretBasic(clientSecret);
  // Every provider supports Basic unless it says otherwise (OpenID Connect Discovery 1.0, 3).
  const authenticate: client.ClientAuth = (server, ...rest) =>
    (server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') === false ? post : basic)(
      server,
      ...rest,
    );
  return client.discovery(url, clientId, { client_secret: clientSecret, [client.clockTolerance]: 30 }, authenticate, {
    timeout: timeoutSeconds,
    [client.customFetch]: boundedFetch,
    // Signatures are checked although tokens come straight from the provider: the library trusts TLS for that, which a
    // provider on loopback does not even have.
    execute: [client.enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [client.allowInsecureRequests] : [])],
  });
}

/** Reads at most a megabyte of a provider's answer. The library rejects redirects. */
const boundedFetch: client.CustomFetch = async (url, options) => {
  const response = await fetch(url, options);
  if (response.body === null) return response;
  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > maxAnswerBytes) controller.error(new Error('the answer of the provider is too large'));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(counted, { status, statusText, headers });
};
