import { WireWriter } from '@fanion/telemetry';
import { type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import { heldSince, perRuleset, requireServerKey } from '../../features/flags/evaluation/index.ts';
import type { SdkCaller } from '../../http/caller.ts';
import type { Tls } from '../../http/tls.ts';
import { bytesMethod } from '../grpc.ts';
import { flagdConfiguration } from './convert-rules.ts';
import type { FlagdDependencies } from './evaluation.ts';
import type { EventCall } from './event-streams.ts';
import {
  createGrpcServer,
  credentialsIn,
  credentialsOfSelector,
  type FlagdGrpc,
  hasCredential,
  listening,
  refusalOf,
} from './grpc-server.ts';
import { decodeSelector } from './messages.ts';
import { Refusal } from './resolve-rules.ts';
import { createSyncClients } from './sync-clients.ts';

const service = '/flagd.sync.v1.FlagSyncService';

type Unary = ServerUnaryCall<Buffer, Buffer>;

type SyncDependencies = Omit<FlagdDependencies, 'exposures' | 'budgets'> & { readonly tls?: Tls | undefined };

/** flagd's sync service, for providers that evaluate in their own process: the converted ruleset, again after each change. */
export function createFlagdSync({ rulesets, streams, sdkCaller, log, tls }: SyncDependencies): FlagdGrpc {
  // All streams of an environment share one message.
  const messageOf = perRuleset(function* (ruleset) {
    return configurationMessage(yield* flagdConfiguration(ruleset));
  });
  const current = async ({ environmentId }: SdkCaller) => (await heldSince(rulesets, environmentId, undefined)).ruleset;
  const clients = createSyncClients({ rulesets, streams, messageOf });

  async function open(call: EventCall): Promise<void> {
    try {
      const caller = await admitted(sdkCaller, call);
      const ruleset = await current(caller);
      // Its events have fired before anybody listens to them.
      if (call.cancelled) return;
      if (!clients.open(call, caller, ruleset)) throw new Refusal(status.RESOURCE_EXHAUSTED, 'too many streams');
    } catch (error) {
      call.emit('error', refusalOf(error, log));
    }
  }

  function answer(
    call: Unary,
    done: sendUnaryData<Buffer>,
    respond: (caller: SdkCaller) => Buffer | Promise<Buffer>,
  ): void {
    admitted(sdkCaller, call)
      .then(respond)
      .then(
        (response) => done(null, response),
        (error) => done(refusalOf(error, log)),
      );
  }

  const { server, ...grpc } = createGrpcServer(() => clients.stop());
  server.addService(
    {
      SyncFlags: bytesMethod(`${service}/SyncFlags`, true),
      FetchAllFlags: bytesMethod(`${service}/FetchAllFlags`, false),
      GetMetadata: bytesMethod(`${service}/GetMetadata`, false),
    },
    {
      SyncFlags: (call: EventCall) => void open(call),
      FetchAllFlags: (call: Unary, done: sendUnaryData<Buffer>) =>
        answer(call, done, async (caller) => messageOf(await current(caller))),
      // The provider for Python calls it without its selector, and stops for every other error.
      GetMetadata: (call: Unary, done: sendUnaryData<Buffer>) =>
        hasCredential(credentialsIn(call.metadata))
          ? answer(call, done, () => Buffer.alloc(0))
          : done({ code: status.UNIMPLEMENTED, details: 'there is no metadata without a key' }),
    },
  );
  return listening(grpc, { tls, log });
}

async function admitted(
  sdkCaller: SyncDependencies['sdkCaller'],
  { metadata, request }: Pick<Unary, 'metadata' | 'request'>,
): Promise<SdkCaller> {
  const sent = credentialsIn(metadata);
  // flagd itself sends its selector in the request.
  const caller = await sdkCaller(hasCredential(sent) ? sent : credentialsOfSelector(decodeSelector(request)));
  requireServerKey(caller);
  return caller;
}

/** `SyncFlagsResponse` and `FetchAllFlagsResponse`: the configuration is their first field. */
function configurationMessage(configuration: string): Buffer {
  const writer = new WireWriter(configuration.length + 16);
  writer.varint((1 << 3) | 2);
  writer.string(configuration);
  return writer.result();
}
