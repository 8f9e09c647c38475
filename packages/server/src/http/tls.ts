import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Log } from '../platform/log.ts';
import { messageOf } from '../platform/message-of.ts';

/** The PEM files of a certificate, with the chain that leads to its authority, and of its key. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** What a listener encrypts with. */
export interface Credentials {
  readonly cert: Buffer;
  readonly key: Buffer;
}

interface SecureServer {
  setSecureContext(credentials: Credentials): void;
}

export interface Tls {
  /** Of the certificate. */
  readonly file: string;
  /** For a new listener. */
  current(): Credentials;
  /** Gives the listener each later certificate; open connections keep theirs. */
  follow(server: SecureServer): void;
  /** End of the certificate's validity, in milliseconds. */
  expiresAt(): number;
  stop(): void;
}

/** Files are looked at so often; Kubernetes replaces the folder that they are in, which a watch of the file would miss. */
const lookMs = 5_000;

/**
 * Reads the certificate of the listeners, and again when its files change. Files that do not fit together, such as a new
 * certificate whose key is not written yet, are logged, and the certificate before them stays.
 *
 * @param options.hostname the name that clients use; a certificate for another one is only a warning
 * @throws Error that says which file is wrong
 */
export function openTls(
  files: TlsFiles,
  options: { log: Log; clock: { now(): number }; hostname?: string | undefined; lookMs?: number },
): Tls {
  const { log, clock, hostname, lookMs: interval = lookMs } = options;
  const listeners: SecureServer[] = [];
  let loaded = load(files);
  warn();

  function warn(): void {
    const { certificate, expiresAt } = loaded;
    if (expiresAt <= clock.now()) log.error({ file: files.cert, expiresAt }, 'the TLS certificate has expired');
    if (hostname !== undefined && certificate.checkHost(hostname) === undefined)
      log.warn({ file: files.cert, hostname }, 'the TLS certificate is for another host name');
  }

  function reload(): void {
    try {
      const next = load(files);
      if (next.certificate.fingerprint256 === loaded.certificate.fingerprint256) return;
      if (next.expiresAt <= clock.now() && loaded.expiresAt > clock.now()) throw new Error(`${files.cert} has expired`);
      loaded = next;
    } catch (error) {
      log.error({ reason: messageOf(error) }, 'the changed TLS certificate cannot be used; the one before it stays');
      return;
    }
    for (const server of listeners) server.setSecureContext(loaded.credentials);
    log.info({ file: files.cert, expiresAt: new Date(loaded.expiresAt) }, 'TLS certificate replaced');
    warn();
  }

  for (const file of [files.cert, files.key]) watchFile(file, { interval, persistent: false }, reload);
  // `watchFile` reads its baseline asynchronously, so it misses a change made before that.
  const firstLook = setTimeout(reload, interval).unref();
  return {
    file: files.cert,
    current: () => loaded.credentials,
    follow: (server) => {
      listeners.push(server);
    },
    expiresAt: () => loaded.expiresAt,
    stop() {
      clearTimeout(firstLook);
      for (const file of [files.cert, files.key]) unwatchFile(file, reload);
    },
  };
}

function load(files: TlsFiles) {
  const cert = read(files.cert, (text) => new X509Certificate(text));
  const key = read(files.key, createPrivateKey);
  if (!cert.value.checkPrivateKey(key.value))
    throw new Error(`${files.key} is not the key of the certificate in ${files.cert}`);
  const credentials = { cert: cert.content, key: key.content };
  // Checks what the two alone do not, such as a key that is too short for this OpenSSL.
  createSecureContext(credentials);
  return { credentials, certificate: cert.value, expiresAt: Date.parse(cert.value.validTo) };
}

function read<T>(file: string, parse: (content: Buffer) => T): { readonly content: Buffer; readonly value: T } {
  try {
    const content = readFileSync(file);
    return { content, value: parse(content) };
  } catch (error) {
    throw new Error(`${file} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}
