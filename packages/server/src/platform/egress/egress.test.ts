import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Recorder, startRecorder } from '../../testing/recorder.ts';
import { createEgress, type EgressOptions } from './egress.ts';

let recorder: Recorder;
beforeAll(async () => {
  recorder = await startRecorder();
});
afterAll(() => recorder?.stop());
beforeEach(() => {
  recorder.requests.length = 0;
});

const unused = async () => {
  throw new Error('nothing was to be looked up');
};
const egress = (options: Partial<EgressOptions> = {}) =>
  createEgress({ allow: ['127.0.0.0/8'], timeoutMs: 30_000, answerBytes: 65_536, lookup: unused, ...options });
const { signal } = new AbortController();
const send = (url: string, options: Partial<EgressOptions> = {}, stop = signal) =>
  egress(options).send({ url, method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'hällo' }, stop);

describe('a request', () => {
  it('is sent, and its answer returned', async () => {
    recorder.answer({ status: 202, headers: { 'retry-after': '7' }, body: 'täken' });
    const { status, headers, body, end } = await send(`${recorder.url}/path?x=1`);
    expect([status, headers['retry-after'], String(body), end]).toEqual([202, '7', 'täken', 'complete']);
    const [request] = recorder.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/path?x=1', body: 'hällo' });
    expect(request?.headers).toMatchObject({ host: `127.0.0.1:${recorder.port}`, 'content-length': '6' });
  });

  it('of the method GET is sent without a body and its headers', async () => {
    const { body } = await egress().send({ url: `${recorder.url}/file`, method: 'GET', headers: {} }, signal);
    expect(String(body)).toBe('ok');
    expect(recorder.requests).toMatchObject([{ method: 'GET', path: '/file', body: '' }]);
    const [{ headers } = { headers: {} }] = recorder.requests;
    expect(headers).not.toHaveProperty('content-length');
    expect(headers).not.toHaveProperty('transfer-encoding');
  });

  it('sends the name as Host, and connects to the address that was looked up', async () => {
    const { status } = await send(`http://receiver.example:${recorder.port}/`, { lookup: async () => ['127.0.0.1'] });
    expect(status).toBe(200);
    expect(recorder.requests[0]?.headers.host).toBe(`receiver.example:${recorder.port}`);
  });

  it.each([
    ['a loopback address', 'http://127.0.0.1:PORT/', /loopback/],
    ['a shortened address', 'http://127.1:PORT/', /loopback/],
    ['an address as a number', 'http://2130706433:PORT/', /loopback/],
    ['an address in hexadecimal', 'http://0x7f000001:PORT/', /loopback/],
    ['an address in octal', 'http://0177.0.0.1:PORT/', /loopback/],
    ['a mapped address', 'http://[::ffff:127.0.0.1]:PORT/', /loopback/],
    ['the address of cloud metadata', 'http://169.254.169.254/latest', /link-local/],
    ['another protocol', 'ftp://example.com/', /unsupported protocol ftp:/],
    ['a file', 'file:///etc/passwd', /unsupported protocol file:/],
    ['a user name', 'http://user@example.com/', /user name or password/],
    ['no address', 'example.com', /not a URL/],
    ['a line break', 'http://exam\nple.com/', /line break/],
    ['a tab at the end', 'http://example.com/\t', /control character/],
  ])('to %s is refused before it connects', async (_name, url, message) => {
    const before = recorder.connections();
    const at = url.replace('PORT', String(recorder.port));
    await expect(send(at, { allow: [] })).rejects.toMatchObject({
      refused: true,
      message: expect.stringMatching(message),
    });
    expect(egress({ allow: [] }).refusal(at)).toMatch(message);
    expect(recorder.connections()).toBe(before);
  });

  it.each([
    ['private', ['10.0.0.1', '192.168.0.1']],
    ['loopback', ['127.0.0.1']],
    ['translated', ['64:ff9b::7f00:1']],
  ])('to a name with only %s addresses is refused', async (name, addresses) => {
    const before = recorder.connections();
    const sent = send(`http://receiver.example:${recorder.port}/`, { allow: [], lookup: async () => addresses });
    await expect(sent).rejects.toMatchObject({ refused: true, message: expect.stringContaining(`${name} address`) });
    // Else a user could look names of the inner network up.
    await expect(sent).rejects.not.toMatchObject({ message: expect.stringContaining(addresses[0] ?? '') });
    expect(recorder.connections()).toBe(before);
  });

  it('never connects to the refused ones of several addresses', async () => {
    const lookup = async () => ['169.254.169.254', '127.0.0.1'];
    expect((await send(`http://receiver.example:${recorder.port}/`, { lookup })).status).toBe(200);
  });

  it('looks a name up once, so that a second answer of DNS changes nothing', async () => {
    // A name of an attacker: first allowed, then the address that he wants to reach.
    const answers = [['127.0.0.1'], ['127.0.0.2']];
    const asked: string[] = [];
    const lookup = async (name: string) => {
      asked.push(name);
      return answers.shift() ?? ['127.0.0.2'];
    };
    const options = { allow: ['127.0.0.1'], lookup };
    const one = egress(options);
    const request = { url: `http://rebind.example:${recorder.port}/`, method: 'POST', headers: {}, body: '' } as const;
    expect((await one.send(request, signal)).status).toBe(200);
    expect(asked).toEqual(['rebind.example']);
    // The next request asks again, and its own answer is the one that is checked.
    await expect(one.send(request, signal)).rejects.toMatchObject({ refused: true });
    expect(asked).toHaveLength(2);
    expect(recorder.requests).toHaveLength(1);
  });

  it('reports a name that does not exist as one to try again', async () => {
    const lookup = async () => {
      throw new Error('queryA ENOTFOUND nowhere.example');
    };
    await expect(send('http://nowhere.example/', { lookup })).rejects.toMatchObject({
      refused: false,
      message: expect.stringContaining('nowhere.example was not found'),
    });
  });

  it('does not follow redirects', async () => {
    recorder.answer({ status: 302, headers: { location: 'http://169.254.169.254/' } });
    expect((await send(recorder.url)).status).toBe(302);
    expect(recorder.requests).toHaveLength(1);
  });

  it('ignores proxies of the environment', async () => {
    const { HTTP_PROXY } = process.env;
    process.env.HTTP_PROXY = 'http://127.0.0.1:9';
    try {
      expect((await send(recorder.url)).status).toBe(200);
    } finally {
      if (HTTP_PROXY === undefined) delete process.env.HTTP_PROXY;
      else process.env.HTTP_PROXY = HTTP_PROXY;
    }
  });
});

describe('an answer', () => {
  it('of 1 GB is cut, and the connection closed', async () => {
    const closed = new Promise<number>((resolve) => {
      recorder.answer((response) => {
        let written = 0;
        const chunk = Buffer.alloc(65_536, 'a');
        const write = () => {
          while (written < 1e9 && response.write(chunk)) written += chunk.length;
        };
        response.on('drain', write).on('close', () => resolve(written));
        response.writeHead(200);
        write();
      });
    });
    const { status, body, end } = await send(recorder.url);
    expect([status, body.length, end]).toEqual([200, 65_536, 'too large']);
    expect(await closed).toBeLessThan(1e9);
  });

  it.each([
    [4, 'complete'],
    [3, 'too large'],
  ])('of 4 bytes, of which %s are read, is %s', async (answerBytes, end) => {
    recorder.answer({ status: 200, body: 'text' });
    const request = { url: recorder.url, method: 'GET', headers: {}, answerBytes } as const;
    const answer = await egress().send(request, signal);
    expect([String(answer.body), answer.end]).toEqual(['text'.slice(0, answerBytes), end]);
  });

  it('that never comes ends in time', async () => {
    recorder.answer(() => {});
    await expect(send(recorder.url, { timeoutMs: 100 })).rejects.toMatchObject({
      refused: false,
      message: 'no answer within 0.1 s',
    });
  });

  it('of a name that is never found ends in time', async () => {
    const sent = send('http://slow.example/', { timeoutMs: 100, lookup: () => new Promise(() => {}) });
    await expect(sent).rejects.toMatchObject({ refused: false, message: 'no answer within 0.1 s' });
  });

  it('whose body never ends counts by its status', async () => {
    recorder.answer((response) => {
      response.writeHead(200).write('start');
    });
    const { status, body, end } = await send(recorder.url, { timeoutMs: 2_000 });
    expect([status, String(body), end]).toEqual([200, 'start', 'too slow']);
  });

  it('whose body breaks off counts by its status', async () => {
    recorder.answer((response) => {
      response.writeHead(503, { 'content-length': '100' });
      response.write('start', () => response.destroy());
    });
    const { status, end } = await send(recorder.url);
    expect([status, end]).toEqual([503, 'broken']);
  });

  it('that is a reset is an error', async () => {
    recorder.answer((response) => response.socket?.resetAndDestroy());
    await expect(send(recorder.url)).rejects.toMatchObject({ refused: false });
  });

  it('that is not HTTP is an error', async () => {
    recorder.answer((response) => response.socket?.end('nonsense\r\n\r\n'));
    await expect(send(recorder.url)).rejects.toMatchObject({ refused: false });
  });

  it('is not waited for when the caller stops', async () => {
    const stop = new AbortController();
    recorder.answer(() => stop.abort());
    await expect(send(recorder.url, {}, stop.signal)).rejects.toMatchObject({ refused: false });
  });
});
