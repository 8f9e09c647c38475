import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { newId } from '../ids.ts';
import type { Log } from '../log.ts';
import { networkErrorText } from '../network-error.ts';
import type { MailSettings } from './settings.ts';

export interface Mail {
  /** Single addresses. */
  readonly to: string | readonly string[];
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** The same as HTML. Its author escapes what users wrote. */
  readonly html?: string;
  /** Names the mail: copies of it that are sent again have the same one. */
  readonly id?: string;
}

/** What became of a mail. `permanent`: the mail server will never accept it. */
export type MailOutcome =
  | { readonly kind: 'sent' | 'written'; readonly answer: string }
  | { readonly kind: 'failed'; readonly permanent: boolean; readonly error: string };

export interface Mailer {
  /**
   * Sends a mail. `sent`: a mail server accepted it. `written`: no server is configured, and it is in a file. `failed`:
   * the mail server rejected it, which is logged; mail never makes a request fail. Throws for an address with control
   * characters, since requests with such addresses are rejected earlier.
   */
  send(mail: Mail): Promise<'sent' | 'written' | 'failed'>;
  /** The same, with what the mail server answered; the caller handles the failure. */
  deliver(mail: Mail): Promise<MailOutcome>;
  close(): void;
}

/** The longest wait for a mail server, in each of three steps. */
const timeoutMs = 10_000;
// A message can never make nodemailer read files or URLs.
const closed = { disableFileAccess: true, disableUrlAccess: true };

/**
 * Mail over SMTP, or, without `smtpUrl`, into `<dataDir>/mail/*.eml`, readable by the server's user alone: the content
 * (the link of an invitation) is a secret.
 */
export function createMailer(
  options: MailSettings & {
    dataDir: string;
    log: Log;
  },
): Mailer {
  const { smtpUrl, dataDir, log } = options;
  const from = oneLine(options.from);
  if (smtpUrl === undefined) {
    const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows', ...closed }, { from });
    const directory = join(dataDir, 'mail');
    const deliver = async (mail: Mail): Promise<MailOutcome> => {
      const { message } = await composer.sendMail(envelope(mail));
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await writeFile(join(directory, `${newId()}.eml`), message, { mode: 0o600, flag: 'wx' });
      return { kind: 'written', answer: 'written to a file: FANION_SMTP_URL is not set' };
    };
    return { deliver, send: async (mail) => (await deliver(mail)).kind, close() {} };
  }
  const server = createTransport(withTimeouts(smtpUrl), { from, ...closed });
  const attempt = async (mail: Mail): Promise<{ outcome: MailOutcome; error?: unknown }> => {
    const message = envelope(mail);
    try {
      const { response } = await server.sendMail(message);
      return { outcome: { kind: 'sent', answer: response } };
    } catch (error) {
      const permanent = error instanceof Error && 'responseCode' in error && Number(error.responseCode) >= 500;
      return { outcome: { kind: 'failed', permanent, error: networkErrorText(error) }, error };
    }
  };
  return {
    async send(mail) {
      const { outcome, error } = await attempt(mail);
      // The text of the mail stays out of the log.
      if (outcome.kind === 'failed') log.warn({ err: error }, 'a mail could not be sent');
      return outcome.kind;
    },
    deliver: async (mail) => (await attempt(mail)).outcome,
    close: () => server.close(),
  };
}

/** nodemailer reads all connection options from the URL if there is one. */
function withTimeouts(smtpUrl: string): string {
  const url = new URL(smtpUrl);
  for (const name of ['connectionTimeout', 'greetingTimeout', 'socketTimeout'])
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(timeoutMs));
  return url.href;
}

/** An address as an object counts as one address, whatever commas or brackets it contains. */
function envelope({ to, subject, text, html, id }: Mail) {
  const addresses = [to].flat();
  if (addresses.some((address) => oneLine(address) !== address))
    throw new Error('a mail address has a line break or a control character');
  return {
    to: addresses.map((address) => ({ name: '', address })),
    subject: oneLine(subject),
    text,
    ...(html !== undefined && { html }),
    ...(id !== undefined && { messageId: `<${id}>` }),
  };
}

/** A line break would start another header, so control characters become spaces. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  return text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ').trim();
}
