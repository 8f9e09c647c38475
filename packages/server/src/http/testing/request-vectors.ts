/**
 * Ambiguous requests to a path that bypasses Node's parser. The forms of the first list are those of llhttp's own tests
 * (github.com/nodejs/llhttp, test/request: invalid.md, content-length.md, transfer-encoding.md, method.md,
 * connection.md; MIT license), rewritten as POSTs to that path. `valid` is llhttp's result in strict mode.
 */
export interface RequestVector {
  readonly name: string;
  readonly bytes: string;
  readonly valid: boolean;
}

const crlf = '\r\n';
const head = (...lines: string[]) => ['POST /flag HTTP/1.1', 'Host: x', ...lines, '', ''].join(crlf);
const start = (line: string, ...lines: string[]) => [line, ...lines, '', ''].join(crlf);
const vector = (name: string, valid: boolean, bytes: string): RequestVector => ({ name, valid, bytes });

export const llhttpVectors: readonly RequestVector[] = [
  vector('a length with zeroes', true, `${head('Content-Length: 003')}abc`),
  vector('a length with zeroes before another header', true, `${head('Content-Length: 003', 'Ohai: world')}abc`),
  vector('a length in another case', true, `${head('conTENT-Length: 5')}HELLO`),
  vector('a length between spaces', true, `${head('Content-Length:  3 ')}abc`),
  vector('a length that overflows', false, head('Content-Length: 1000000000000000000000')),
  vector('two lengths', false, `${head('Content-Length: 1', 'Content-Length: 2')}ab`),
  vector('a length and an identity coding', false, `${head('Content-Length: 1', 'Transfer-Encoding: identity')}a`),
  vector('a coding and then a length', false, `${head('Transfer-Encoding: identity', 'Content-Length: 5')}World`),
  vector('a space within a length', false, `${head('Content-Length: 4 2')}${'a'.repeat(42)}`),
  vector('two numbers as a length', false, `${head('Content-Length: 13 37')}${'a'.repeat(13)}`),
  vector('an empty length', false, head('Content-Length:')),
  vector('a CR instead of a dash', false, `${head('Content\rLength: 003')}abc`),
  vector('an empty coding and a length', false, `${head('Transfer-Encoding:', 'Content-Length: 5')}hello`),
  vector(
    'a length and empty codings',
    false,
    `${head('Content-Length: 10', 'Transfer-Encoding:', 'Transfer-Encoding:')}2\r\nAA\r\n0\r\n\r\n`,
  ),
  vector('chunks in lower case', true, `${head('Transfer-Encoding: chunked')}a\r\n0123456789\r\n0\r\n\r\n`),
  vector('chunks in upper case', true, `${head('Transfer-Encoding: chunked')}A\r\n0123456789\r\n0\r\n\r\n`),
  vector('a last chunk of three zeroes', true, `${head('Transfer-Encoding: chunked')}5\r\nhello\r\n000\r\n\r\n`),
  vector('trailing headers', true, `${head('Transfer-Encoding: chunked')}5\r\nhello\r\n0\r\nVary: *\r\n\r\n`),
  vector('chunk extensions', true, `${head('Transfer-Encoding: chunked')}5;a=b;c\r\nhello\r\n0\r\n\r\n`),
  vector(
    'no semicolon before an extension',
    false,
    `${head('Transfer-encoding: chunked')}2 erf\r\naa\r\n0 rrrr\r\n\r\n`,
  ),
  vector('no extension after a semicolon', false, `${head('Transfer-encoding: chunked')}2;\r\naa\r\n0\r\n\r\n`),
  vector(
    'an extension with a quote left open',
    false,
    `${head('Transfer-Encoding: chunked')}5;a="b; c\r\nhello\r\n0\r\n\r\n`,
  ),
  vector('an unknown transfer coding', false, head('Transfer-Encoding: pigeons')),
  vector('another protocol', false, start('POST /flag ICE/1.0', 'Host: x', 'Content-Length: 0')),
  vector('almost the protocol', false, start('POST /flag IHTTP/1.1', 'Host: x', 'Content-Length: 0')),
  vector('the protocol of streams', false, start('POST /flag RTSP/1.0', 'Host: x', 'Content-Length: 0')),
  vector('an unknown HTTP version', false, start('POST /flag HTTP/5.6', 'Host: x', 'Content-Length: 0')),
  vector('a method of another protocol', false, start('ANNOUNCE /flag HTTP/1.1', 'Host: x', 'Content-Length: 0')),
  vector('a method with a letter more', false, start('POSTA /flag HTTP/1.1', 'Host: x', 'Content-Length: 0')),
  vector('headers separated by CR', false, `${head('Foo: 1\rBar: 2', 'Content-Length: 1')}a`),
  vector('headers separated by LF', false, `${head('x:x\nTransfer-Encoding: chunked')}1\r\nA\r\n0\r\n\r\n`),
  vector('an empty header and a CR', false, `${head('x:\rTransfer-Encoding: chunked', 'Content-Length: 1')}a`),
  vector('an empty header and an LF', false, `${head('x:\nTransfer-Encoding: chunked', 'Content-Length: 1')}a`),
  vector(
    'headers ended by CR and another letter',
    false,
    `POST /flag HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\rZPOST /evil HTTP/1.1\r\nHost: x\r\n\r\n`,
  ),
  vector('a name with an invalid character', false, `${head('Fo@: Failure', 'Content-Length: 1')}a`),
  vector('a name with a control character', false, `${head('Foo\u0001test: Bar', 'Content-Length: 1')}a`),
  vector('no name', false, `${head(': Bar', 'Content-Length: 1')}a`),
  vector('a name that continues in the next line', false, `${head('name', ' : value', 'Content-Length: 1')}a`),
  vector('a name that is cut by a CR', false, `${head('Connection\r\u001b5\u00d5eep-Alive', 'Content-Length: 1')}a`),
  vector(
    'a length behind an LF, and a request in its body',
    false,
    `${head('Dummy: x\nContent-Length: 40')}GET /admin HTTP/1.1\r\nHost: x\r\n\r\n`,
  ),
  vector('a space after the first line', false, 'POST /flag HTTP/1.1\r\n Host: x\r\nContent-Length: 1\r\n\r\na'),
  vector('a space before a header', false, `${head('Foo: bar', ' Content-Length: 1')}a`),
  vector('line feeds alone', false, 'POST /flag HTTP/1.1\nHost: x\nContent-Length: 1\n\na'),
];

const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
const chunked = `0\r\n\r\n${smuggled}`;
const both = (name: string, coding: string) =>
  [
    vector(`${name}, before a length of all`, false, `${head(coding, `Content-Length: ${chunked.length}`)}${chunked}`),
    vector(`${name}, after a length of the last chunk`, false, `${head('Content-Length: 5', coding)}${chunked}`),
  ] as const;

/** Ways to make two parsers disagree on the end of a request (RFC 9112 §11.2), with a hidden request in each body. */
export const smugglingVectors: readonly RequestVector[] = [
  ...both('a coding', 'Transfer-Encoding: chunked'),
  ...both('a coding with a space before the colon', 'Transfer-Encoding : chunked'),
  ...both('a coding with a tab before the colon', 'Transfer-Encoding\t: chunked'),
  ...both('a coding after a vertical tab', 'Transfer-Encoding:\u000bchunked'),
  ...both('a coding with NUL', 'Transfer-Encoding: chunked\u0000'),
  ...both('a coding with a letter more', 'Transfer-Encoding: xchunked'),
  ...both('a coding in quotes', 'Transfer-Encoding: "chunked"'),
  ...both('two codings', 'Transfer-Encoding: chunked, identity'),
  ...both('a coding said twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: x'),
  ...both('a coding in a folded line', 'X: y\r\n Transfer-Encoding: chunked'),
  ...both('a folded coding', 'Transfer-Encoding:\r\n chunked'),
  ...both('a coding after LF', 'X: y\nTransfer-Encoding: chunked'),
  ...both('a coding after CR', 'X: y\rTransfer-Encoding: chunked'),
  ...both('a coding of another case', 'tRANSFER-eNCODING: CHUNKED'),
  ...both('a coding with an underscore', 'Transfer_Encoding: chunked').map((one) => ({ ...one, valid: true })),
  ...[
    `${chunked.length}, 5`,
    `5, ${chunked.length}`,
    '5 5',
    '+5',
    '-5',
    '0x5',
    '5.0',
    '5e0',
    '5;',
    '5\u000b',
    '\u00b9',
    '5\u0000',
  ].map((length) =>
    vector(`the length ${JSON.stringify(length)}`, false, `${head(`Content-Length: ${length}`)}${chunked}`),
  ),
  vector('the same length twice', false, `${head('Content-Length: 5', 'Content-Length: 5')}${chunked}`),
  vector('a length with a space before the colon', false, `${head('Content-Length : 5')}${chunked}`),
  vector('a length in a folded line', false, `${head('X: y', ' Content-Length: 5')}${chunked}`),
  vector('a length with an underscore', true, `${head('Content_Length: 9', 'Content-Length: 0')}${smuggled}`),
  vector('no length', true, `${head()}${smuggled}`),
  vector('two hosts', false, `${head('Host: y', 'Content-Length: 0')}${smuggled}`),
  vector('no host', false, start('POST /flag HTTP/1.1', 'Content-Length: 0')),
  vector(
    'a whole address as the target',
    true,
    `${start('POST http://x/flag HTTP/1.1', 'Host: x', 'Content-Length: 0')}${smuggled}`,
  ),
  vector(
    'a target with a space',
    false,
    `${start('POST /flag /x HTTP/1.1', 'Host: x', 'Content-Length: 0')}${smuggled}`,
  ),
  vector(
    'a tab after the method',
    false,
    `${start('POST\t/flag HTTP/1.1', 'Host: x', 'Content-Length: 0')}${smuggled}`,
  ),
  vector(
    'a space after the version',
    false,
    `${start('POST /flag HTTP/1.1 ', 'Host: x', 'Content-Length: 0')}${smuggled}`,
  ),
  vector('a method in lower case', false, `${start('post /flag HTTP/1.1', 'Host: x', 'Content-Length: 0')}${smuggled}`),
  vector('empty lines before the request', true, `\r\n\r\n${head('Content-Length: 0')}${smuggled}`),
  vector(
    'an upgrade to HTTP/2',
    true,
    `${head('Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'Content-Length: 0')}${smuggled}`,
  ),
  vector(
    'a connection that names the length',
    true,
    `${head('Connection: Content-Length', 'Content-Length: 5')}0\r\n\r\n`,
  ),
  vector('a plain request and another', true, `${head('Content-Length: 2')}{}${smuggled}`),
];
