import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type Config, ConfigError } from '../config.ts';
import type { EvaluatorLink } from '../evaluator/link.ts';
import { closeHttp } from '../http/server.ts';
import type { Log } from '../platform/log.ts';
import { messageOf } from '../platform/message-of.ts';
import type { FlagdEvaluation, FlagdGrpc, OtlpGrpc, ReadGrpc } from '../protocols/index.ts';

interface PortsOptions {
  readonly config: Config;
  readonly log: Log;
  readonly server: FastifyInstance;
  /** Owns the server's port. */
  readonly link: EvaluatorLink | undefined;
  readonly otlpHttp: FastifyInstance;
  /** On the server's port. */
  readonly readGrpc: ReadGrpc;
  readonly otlpGrpc: OtlpGrpc;
  readonly flagd: FlagdEvaluation;
  /** Has the methods of `flagd`. */
  readonly flagdPort: FastifyInstance;
  readonly flagdSync: FlagdGrpc;
}

export interface Ports {
  /** The URL the server listens on; empty before `listen`. */
  url(): string;
  /** Null: OTLP/HTTP is available only on the server's own port. */
  otlpHttpPort(): number | null;
  otlpGrpcPort(): number | null;
  /** Throws `ConfigError` if the server's port is in use. An OTLP port in use is only a warning. */
  listen(): Promise<void>;
  /** Resolves when all accepted requests are answered. */
  close(): Promise<void>;
}

/** The ports: the server's, OTLP/HTTP's, OTLP/gRPC's and flagd's. */
export function createPorts(options: PortsOptions): Ports {
  const { config, log, link, server, otlpHttp, readGrpc, otlpGrpc, flagd, flagdPort, flagdSync } = options;
  const { host } = config;
  let url = '';
  let httpPort: number | null = null;
  let grpcPort: number | null = null;

  async function listenItself(): Promise<number> {
    await server.listen({ host, port: config.port }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      throw new ConfigError(`FANION_PORT: another program listens on ${host}:${config.port}; choose another port`);
    });
    return portOf(server);
  }

  /** Node checks its connections for slow senders only while it listens: here on a socket that nobody can reach. */
  async function listenBehind(evaluator: EvaluatorLink): Promise<number> {
    const directory = mkdtempSync(join(tmpdir(), 'fanion-'));
    await server.listen({ path: join(directory, 'http') });
    rmSync(directory, { recursive: true, force: true });
    return evaluator.listen(server.server);
  }

  return {
    url: () => url,
    otlpHttpPort: () => httpPort,
    otlpGrpcPort: () => grpcPort,
    async listen() {
      const own = link === undefined ? await listenItself() : await listenBehind(link);
      url = `${config.tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${own}`;
      if (config.roles.has('flags')) {
        await listenIfFree(config.flagdPort, log, noFlagd, (port) => flagdPort.listen({ host, port }));
        await listenIfFree(config.flagdSyncPort, log, noFlagd, (port) => flagdSync.listen(host, port));
      }
      if (!config.roles.has('ingest')) return;
      httpPort = await listenIfFree(config.otlpHttpPort, log, noOtlp, (port) => otlpHttp.listen({ host, port }));
      grpcPort = await listenIfFree(config.otlpGrpcPort, log, noOtlp, (port) => otlpGrpc.listen(host, port));
    },
    async close() {
      await link?.leave();
      // Each waits a few seconds for its calls.
      const others = [readGrpc.stop(), flagd.stop(), flagdSync.stop(), otlpGrpc.stop()];
      await Promise.all([...others, closeHttp(otlpHttp), closeHttp(flagdPort)]);
      await closeHttp(server, link?.handed);
    },
  };
}

const noOtlp = 'OTLP is not available on its standard port; OTLP/HTTP is still available on the server port';
const noFlagd = 'a service of flagd is not available: another program listens on its port';

/** A Collector or flagd may use the standard ports: that is a warning, not an error. Port 0 disables the listener. */
async function listenIfFree(
  port: number,
  log: Log,
  warning: string,
  listen: (port: number) => Promise<unknown>,
): Promise<number | null> {
  if (port === 0) return null;
  try {
    await listen(port);
    return port;
  } catch (error) {
    log.warn({ port, reason: messageOf(error) }, warning);
    return null;
  }
}

function portOf(app: FastifyInstance): number {
  const address = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
