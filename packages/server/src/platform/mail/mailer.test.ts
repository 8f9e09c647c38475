import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { createLog } from '../log.ts';
import { createMailer } from './index.ts';

const cleanUp: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

interface Received {
  readonly to: string[];
  readonly headers: string[];
  readonly body: string;
}

function parse(raw: string, to: string[] = []): Received {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  return { to, headers: head.replace(/\r\n[ \t]+/g, ' ').split('\r\n'), body: rest.join('\r\n\r\n').trim() };
}

async function startMailServer(options: { refuse?: boolean } = {}): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: (_address, _session, done) => done(options.refuse ? new Error('no such mailbox') : null),
    onData(stream, session, done) {
      let raw = '';
      stream.on('data', (chunk: Buffer) => {
        raw += chunk.toString();
      });
      stream.on('end', () => {
        received.push(
          parse(
            raw,
            session.envelope.rcptTo.map(({ address }) => address),
          ),
        );
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`, received };
}

async function dataDirectory(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'fanion-mail-'));
  cleanUp.push(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

const mail = { to: 'ada@example.com', subject: 'Join Acme', text: 'Open https://fanion.example/invitations/x' };
const log = createLog('silent');

describe('mail over SMTP', () => {
  it('arrives with sender, addressee, subject and text', async () => {
    const { url, received } = await startMailServer();
    const mailer = createMailer({ smtpUrl: url, from: 'Fanion <fanion@example.com>', dataDir: '/nowhere', log });
    expect(await mailer.send(mail)).toBe('sent');
    expect(received).toHaveLength(1);
    expect(received[0]?.to).toEqual(['ada@example.com']);
    expect(received[0]?.headers).toContain('From: Fanion <fanion@example.com>');
    expect(received[0]?.headers).toContain('Subject: Join Acme');
    expect(received[0]?.body).toBe(mail.text);
    mailer.close();
  });

  it.each(['\r\n', '\n', '\r', '\u0085', '\u2028'])('does not accept headers or recipients through %j', async (end) => {
    const { url, received } = await startMailServer();
    const mailer = createMailer({ smtpUrl: url, from: 'Fanion <fanion@example.com>', dataDir: '/nowhere', log });
    const subject = `Join${end}Bcc: eve@evil.example${end}X-Injected: yes${end}${end}body of Eve`;
    expect(await mailer.send({ ...mail, subject })).toBe('sent');
    expect(received[0]?.to).toEqual(['ada@example.com']);
    expect(received[0]?.headers.filter((header) => /^(bcc|x-injected)/i.test(header))).toEqual([]);
    expect(received[0]?.body).toBe(mail.text);
    await expect(mailer.send({ ...mail, to: `ada@example.com${end}Bcc: eve@evil.example` })).rejects.toThrow('address');
    mailer.close();
  });

  it('goes to one mailbox even if the address contains two', async () => {
    const { url, received } = await startMailServer();
    const mailer = createMailer({ smtpUrl: url, from: 'fanion@example.com', dataDir: '/nowhere', log });
    await mailer.send({ ...mail, to: 'ada@example.com, eve@evil.example' });
    expect(received.flatMap(({ to }) => to)).not.toContain('eve@evil.example');
    mailer.close();
  });

  it('that is rejected is reported and logged without its text', async () => {
    const { url, received } = await startMailServer({ refuse: true });
    const lines: string[] = [];
    const mailer = createMailer({
      smtpUrl: url,
      from: 'fanion@example.com',
      dataDir: '/nowhere',
      log: createLog('trace', { write: (line: string) => void lines.push(line) }),
    });
    expect(await mailer.send(mail)).toBe('failed');
    expect(received).toEqual([]);
    expect(lines.join('')).toContain('could not be sent');
    expect(lines.join('')).not.toContain('invitations/x');
    mailer.close();
  });
});

it('times out on a silent mail server', async () => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  cleanUp.push(() => new Promise<void>((resolve) => silent.close(() => resolve())));
  const smtpUrl = `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}?greetingTimeout=50`;
  const mailer = createMailer({ smtpUrl, from: 'fanion@example.com', dataDir: '/nowhere', log });
  expect(await mailer.send(mail)).toBe('failed');
  mailer.close();
});

describe('mail without a mail server', () => {
  it('is a file that only the owner can read', async () => {
    const dataDir = await dataDirectory();
    const mailer = createMailer({ smtpUrl: undefined, from: 'fanion@localhost', dataDir, log });
    expect(await mailer.send(mail)).toBe('written');
    expect(await mailer.send(mail)).toBe('written');
    const files = await readdir(join(dataDir, 'mail'));
    expect(files).toHaveLength(2);
    const file = join(dataDir, 'mail', files[0] ?? '');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { headers, body } = parse(await readFile(file, 'utf8'));
    expect(headers).toContain('To: ada@example.com');
    expect(body).toBe(mail.text);
  });
});
