import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { newId } from '../ids.ts';
import type { Log } from '../log.ts';

export interface Mail {
  /** One address, nothing else. */
  readonly to: string;
  readonly subject: string;
  /** Plain text; there is no HTML part, so nothing that people typed is ever rendered. */
  readonly text: string;
}

export interface Mailer {
  /**
   * Hands a mail over. `sent`: a mail server took it. `written`: there is none configured, it lies in a file.
   * `failed`: the mail server did not take it, which is logged; mail is never the reason why a request fails.
   * Throws for an address with control characters: addresses are checked where they come in.
   */
  send(mail: Mail): Promise<'sent' | 'written' | 'failed'>;
  close(): void;
}

/** A mail server that does not answer holds a request up for so long at most, in each of three steps. */
const timeoutMs = 10_000;
// Files and addresses are never read because a message names them.
const closed = { disableFileAccess: true, disableUrlAccess: true };

/**
 * Mail over SMTP, or, without `smtpUrl`, into `<dataDir>/mail/*.eml`, readable by the server's user alone: what
 * comes by mail (the link of an invitation) is a secret.
 */
export function createMailer(options: {
  smtpUrl: string | undefined;
  from: string;
  dataDir: string;
  log: Log;
}): Mailer {
  const { smtpUrl, dataDir, log } = options;
  const from = oneLine(options.from);
  if (smtpUrl === undefined) {
    const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows', ...closed }, { from });
    const directory = join(dataDir, 'mail');
    return {
      async send(mail) {
        const { message } = await composer.sendMail(envelope(mail));
        await mkdir(directory, { recursive: true, mode: 0o700 });
        await writeFile(join(directory, `${newId()}.eml`), message, { mode: 0o600, flag: 'wx' });
        return 'written';
      },
      close() {},
    };
  }
  const server = createTransport(withTimeouts(smtpUrl), { from, ...closed });
  return {
    async send(mail) {
      const message = envelope(mail);
      try {
        await server.sendMail(message);
        return 'sent';
      } catch (error) {
        // The text of the mail stays out of the log.
        log.warn({ err: error }, 'a mail could not be sent');
        return 'failed';
      }
    },
    close: () => server.close(),
  };
}

/** nodemailer takes the options of a connection from its address alone when there is one. */
function withTimeouts(smtpUrl: string): string {
  const url = new URL(smtpUrl);
  for (const name of ['connectionTimeout', 'greetingTimeout', 'socketTimeout'])
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(timeoutMs));
  return url.href;
}

/** An address as an object is taken as one address, whatever commas or brackets it holds. */
function envelope({ to, subject, text }: Mail) {
  if (oneLine(to) !== to) throw new Error('a mail address has a line break or a control character');
  return { to: { name: '', address: to }, subject: oneLine(subject), text };
}

/** What ends a header line begins the next header: control characters become spaces. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  return text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ').trim();
}
