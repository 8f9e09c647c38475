/**
 * The client side of PostgreSQL's wire protocol, as far as needed to let several clients share one backend. Source:
 * https://www.postgresql.org/docs/18/protocol-message-formats.html
 */

/** A complete message. `type` is its first byte, or undefined for the untyped messages that open a connection. */
export interface FrontendMessage {
  type: string | undefined;
  bytes: Buffer;
}

/** Codes in place of a protocol version. */
export const SSL_REQUEST = 80_877_103;
export const GSS_ENCRYPTION_REQUEST = 80_877_104;
export const CANCEL_REQUEST = 80_877_102;

/** The backend could not hold larger ones anyway (PostgreSQL's own limit is 1 GiB). */
const LONGEST_MESSAGE_BYTES = 256 * 1024 * 1024;

/** Splits a client's byte stream into messages. */
export interface MessageReader {
  /** @throws Error for an impossible length */
  push(chunk: Buffer): FrontendMessage[];
  /** From now on messages have a type. */
  opened(): void;
}

export function messageReader(): MessageReader {
  let chunks: Buffer[] = [];
  let size = 0;
  let typed = false;

  function next(): FrontendMessage | undefined {
    const headerBytes = typed ? 5 : 4;
    if (size < headerBytes) return undefined;
    const head = first(headerBytes);
    const length = head.readInt32BE(headerBytes - 4) + headerBytes - 4;
    if (length < headerBytes || length > LONGEST_MESSAGE_BYTES) throw new Error(`a message of ${length} bytes`);
    if (size < length) return undefined;
    const bytes = take(length);
    return { type: typed ? String.fromCharCode(bytes[0] ?? 0) : undefined, bytes };
  }

  /** Chunks are joined only when they contain a complete message, so that a large one is copied once. */
  function first(bytes: number): Buffer {
    const [chunk] = chunks;
    return chunk && chunk.length >= bytes ? chunk : joined();
  }

  function joined(): Buffer {
    const all = Buffer.concat(chunks, size);
    chunks = [all];
    return all;
  }

  function take(bytes: number): Buffer {
    const [chunk] = chunks;
    const from = chunk && chunk.length >= bytes ? chunk : joined();
    const rest = from.subarray(bytes);
    if (rest.length > 0) chunks[0] = rest;
    else chunks.shift();
    size -= bytes;
    return from.subarray(0, bytes);
  }

  return {
    push(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      const messages: FrontendMessage[] = [];
      for (let message = next(); message; message = next()) {
        messages.push(message);
        // The bytes after the first message depend on the server's response to it.
        if (!typed) break;
      }
      return messages;
    },
    opened() {
      typed = true;
    },
  };
}

/** Where a message names a prepared statement: first, after a portal's name, or after a kind byte. */
const NAMES: Readonly<Record<string, 'first' | 'second' | 'kind'>> = { P: 'first', B: 'second', D: 'kind', C: 'kind' };

/**
 * Prefixes the name of a prepared statement by its client. All clients share one backend session, in which two of them
 * may choose the same name. The unnamed statement stays unnamed.
 */
export function withOwnStatementName(message: FrontendMessage, prefix: string): FrontendMessage {
  const place = message.type === undefined ? undefined : NAMES[message.type];
  if (!place) return message;
  const { bytes } = message;
  if (place === 'kind' && bytes[5] !== 'S'.charCodeAt(0)) return message;
  const at = place === 'first' ? 5 : place === 'kind' ? 6 : bytes.indexOf(0, 5) + 1;
  if (bytes[at] === 0) return message;
  const renamed = Buffer.concat([bytes.subarray(0, at), Buffer.from(prefix), bytes.subarray(at)]);
  renamed.writeInt32BE(renamed.length - 1, 1);
  return { type: message.type, bytes: renamed };
}

const COPY_IN = /(?:^|;)\s*copy\s[^;]*?\sfrom\s+stdin\b/i;

/**
 * Replaces COPY … FROM STDIN with an error: the backend would wait for the rows on this single thread, where none can
 * arrive, and fail completely.
 */
export function withoutCopyIn(message: FrontendMessage): FrontendMessage {
  const { type, bytes } = message;
  if (type !== 'Q' && type !== 'P') return message;
  const at = type === 'Q' ? 5 : bytes.indexOf(0, 5) + 1;
  if (!COPY_IN.test(bytes.toString('utf8', at, bytes.indexOf(0, at)))) return message;
  return type === 'Q'
    ? { type, bytes: queryMessage(REFUSE_COPY_IN) }
    : {
        type,
        bytes: typedMessage('P', Buffer.concat([bytes.subarray(5, at), cString(REFUSE_COPY_IN), Buffer.alloc(2)])),
      };
}

const REFUSE_COPY_IN =
  "DO $$ BEGIN RAISE feature_not_supported USING MESSAGE = 'the embedded store has no COPY FROM STDIN'; END $$";

/** The statement name of a Parse message; empty for the unnamed statement. */
export function parsedStatementName(message: FrontendMessage): string {
  return message.type === 'P' ? message.bytes.toString('utf8', 5, message.bytes.indexOf(0, 5)) : '';
}

export function closeStatementMessage(name: string): Buffer {
  return typedMessage('C', Buffer.concat([Buffer.from('S'), cString(name)]));
}

export function queryMessage(sql: string): Buffer {
  return typedMessage('Q', cString(sql));
}

export const SYNC_MESSAGE = typedMessage('S', Buffer.alloc(0));

/** An ErrorResponse of severity FATAL, as servers send it before they close a connection. */
export function fatalMessage(code: string, text: string): Buffer {
  const fields = [`SFATAL`, `VFATAL`, `C${code}`, `M${text}`].map(cString);
  return typedMessage('E', Buffer.concat([...fields, Buffer.from([0])]));
}

function typedMessage(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}
