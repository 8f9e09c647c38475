/** An error as ClickHouse reports it: a number, a name, a text. */
export class StoreException extends Error {
  readonly code: number;
  constructor(code: number, type: string, text: string) {
    super(`Code: ${code}. DB::Exception: ${text} (${type})`);
    this.code = code;
  }
}

export const syntaxError = (text: string) => new StoreException(62, 'SYNTAX_ERROR', text);
export const notImplemented = (text: string) => new StoreException(48, 'NOT_IMPLEMENTED', text);
export const readonlyError = (text: string) => new StoreException(164, 'READONLY', text);
export const badArguments = (text: string) => new StoreException(36, 'BAD_ARGUMENTS', text);
export const notFound = (text: string) => new StoreException(1000, 'POCO_EXCEPTION', text);
export const queryTooLarge = (text: string) => new StoreException(229, 'QUERY_IS_TOO_LARGE', text);
export const tooManyQueries = (text: string) => new StoreException(202, 'TOO_MANY_SIMULTANEOUS_QUERIES', text);
export const authenticationFailed = () =>
  new StoreException(
    516,
    'AUTHENTICATION_FAILED',
    'default: Authentication failed: password is incorrect, or there is no user with such name.',
  );

/** The code in a message of the engine, such as `Code: 241. DB::Exception: …`. */
export function codeOf(message: string): number | undefined {
  const match = /\bCode: (\d+)\./.exec(message);
  return match ? Number(match[1]) : undefined;
}

const BY_STATUS: ReadonlyArray<readonly [number, readonly number[]]> = [
  [401, [194, 516]],
  [403, [192, 193, 512]],
  [
    400,
    [6, 8, 10, 15, 25, 26, 27, 33, 36, 38, 41, 42, 43, 44, 53, 62, 69, 70, 72, 117, 130, 131, 190, 427, 441, 442, 456],
  ],
  // 1000 is for an unknown URL path, which ClickHouse answers without a code.
  [404, [1000, 46, 47, 50, 56, 60, 63, 73, 81, 109, 115, 116]],
  [408, [159]],
  [411, [381]],
  [413, [229]],
  [501, [48]],
  [503, [209, 439]],
];

/**
 * HTTP status of an exception code, as in ClickHouse's `exceptionCodeToHTTPStatus.cpp`; 500 for all other codes. (A
 * wrong password is always 401 here.)
 */
export function statusOf(code: number | undefined): number {
  return BY_STATUS.find(([, codes]) => code !== undefined && codes.includes(code))?.[0] ?? 500;
}
