import { type MethodDefinition, status } from '@grpc/grpc-js';

/** A method whose messages are bytes, and whose request is one message. */
export function bytesMethod(path: string, responseStream: boolean): MethodDefinition<Buffer, Buffer> {
  const asIs = (bytes: Buffer) => bytes;
  return {
    path,
    requestStream: false,
    responseStream,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  };
}

const codes: Readonly<Record<number, status>> = {
  400: status.INVALID_ARGUMENT,
  401: status.UNAUTHENTICATED,
  403: status.PERMISSION_DENIED,
  404: status.NOT_FOUND,
  413: status.RESOURCE_EXHAUSTED,
  422: status.INVALID_ARGUMENT,
  429: status.RESOURCE_EXHAUSTED,
  503: status.UNAVAILABLE,
};

/** The code of gRPC that says what a status of HTTP says. */
export function grpcCodeOf(httpStatus: number): status {
  return codes[httpStatus] ?? status.INTERNAL;
}

/** `192.0.2.1` of `192.0.2.1:4711`, and the same of IPv6. */
export function addressOfPeer(peer: string): string {
  return peer.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
}
