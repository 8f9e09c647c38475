const known: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed',
  ETIMEDOUT: 'connection timed out',
  ESOCKET: 'connection failed',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ENOTFOUND: 'name not found',
  EAI_AGAIN: 'the name server does not answer',
};

/**
 * Why a connection failed, without the address: Node's messages contain the one that a name resolved to, and users read
 * them. The attempts on several addresses of a name fail together, in an error without a message.
 */
export function networkErrorText(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return [...new Set(error.errors.map((one) => networkErrorText(one)))].join('; ');
  const { code, syscall, message } = (error ?? {}) as { code?: unknown; syscall?: unknown; message?: unknown };
  if (typeof code === 'string' && known[code] !== undefined) return `${known[code]} (${code})`;
  // Another system error: its name only.
  if (typeof code === 'string' && typeof syscall === 'string') return `${syscall} ${code}`;
  return typeof message === 'string' ? message : String(error);
}
