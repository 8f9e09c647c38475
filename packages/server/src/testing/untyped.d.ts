/** The parts of untyped packages that the tests use. */
declare module 'smtp-server' {
  import type { Server } from 'node:net';
  import type { Readable } from 'node:stream';

  interface Session {
    readonly envelope: { readonly rcptTo: readonly { readonly address: string }[] };
  }
  export class SMTPServer {
    constructor(options: {
      authOptional?: boolean;
      disabledCommands?: string[];
      onRcptTo?: (address: { address: string }, session: Session, done: (error?: Error | null) => void) => void;
      onData?: (stream: Readable, session: Session, done: (error?: Error | null) => void) => void;
    });
    readonly server: Server;
    listen(port: number, host: string, done: () => void): void;
    close(done: () => void): void;
  }
}

declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Interaction {
    readonly uid: string;
    readonly params: Readonly<Record<string, string>>;
    readonly session?: { readonly accountId: string };
    readonly prompt: { readonly name: string };
  }
  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }
  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    readonly Grant: new (properties: {
      accountId: string;
      clientId: string;
    }) => Grant;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Readonly<Record<string, unknown>>,
      options?: { mergeWithLastSubmission?: boolean },
    ): Promise<void>;
    on(event: string, listener: (...facts: unknown[]) => void): void;
  }
  export default Provider;
}

declare module 'snappyjs' {
  export function compress(text: Uint8Array): Uint8Array;
  export function uncompress(packed: Uint8Array): Uint8Array;
}
