import { timingSafeEqual } from 'node:crypto';
import { platformRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { hostnameOf } from '../../../http/host.ts';
import { isLoopback } from '../../../platform/address.ts';
import { fail } from '../../../platform/fail.ts';
import type { Registry } from '../../../platform/own-metrics.ts';
import type { Health } from './health.ts';

export { createApiDocument } from './api-document.ts';
export { type Health, watchHealth } from './health.ts';
export { createRequestMetrics } from './metrics.ts';
export { watchOwnHealth } from './own-health.ts';
export { declareOwnMetrics } from './own-metrics.ts';

export interface PlatformStatusDependencies {
  readonly health: Health;
  readonly metrics: Registry;
  readonly metricsToken: string | undefined;
  readonly version: string;
  readonly commit: string | null;
  readonly engines: () => { readonly control_plane: string | null; readonly telemetry_store: string | null };
  readonly signup: 'open' | 'invite';
  readonly oidc: readonly { readonly slug: string; readonly name: string }[];
  readonly baseUrl: () => string;
  /** The API document as JSON, already built. */
  readonly apiDocument: (serverUrl: string) => Promise<string>;
  readonly otlpHttpPort: () => number | null;
  readonly otlpGrpcPort: () => number | null;
}

/** Probes, metrics, and information about the server. */
export function platformStatusFeature(dependencies: PlatformStatusDependencies): MountedRoute[] {
  const { health } = dependencies;
  return implement(platformRoutes, {
    async getHealth({ reply }) {
      reply.send({ status: 'ok' });
      return undefined;
    },
    async getReadiness({ reply }) {
      const phase = health.phase();
      const states = await health.dependencies();
      const status = phase === 'serving' ? (states.every((state) => state.status === 'up') ? 'ok' : 'degraded') : phase;
      reply.code(phase === 'serving' ? 200 : 503).send({ status, dependencies: states });
      return undefined;
    },
    async getInternalMetrics({ ip, request, reply }) {
      if (
        !isLoopback(ip) ||
        // With DNS rebinding, a page of another host also connects from loopback.
        !isLoopback(hostnameOf(request.headers.host ?? 'localhost')) ||
        request.headers['x-forwarded-for'] !== undefined ||
        dependencies.metricsToken !== undefined
      ) {
        const given = Buffer.from(/^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '');
        const wanted = Buffer.from(dependencies.metricsToken ?? '');
        if (wanted.length === 0 || given.length !== wanted.length || !timingSafeEqual(given, wanted))
          throw fail('UNAUTHENTICATED', { reason: 'send Authorization: Bearer with FANION_METRICS_TOKEN' });
      }
      reply.type(dependencies.metrics.contentType).send(await dependencies.metrics.metrics());
      return undefined;
    },
    async getMeta() {
      return {
        name: 'fanion' as const,
        version: dependencies.version,
        commit: dependencies.commit,
        engines: { node: process.version, ...dependencies.engines() },
        capabilities: {
          signup: dependencies.signup,
          oidc: [...dependencies.oidc],
          signals: ['traces', 'logs', 'metrics', 'profiles'],
          ofrep: '0.3',
        },
        otlp: {
          http: dependencies.baseUrl(),
          http_standard_port: dependencies.otlpHttpPort(),
          grpc_port: dependencies.otlpGrpcPort(),
        },
      };
    },
    async getOpenApi({ reply }) {
      const document = await dependencies.apiDocument(dependencies.baseUrl());
      reply.type('application/json; charset=utf-8').header('cache-control', 'public, max-age=60').send(document);
      return undefined;
    },
  });
}
