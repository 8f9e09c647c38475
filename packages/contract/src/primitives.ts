import { z } from 'zod';

/** UUIDv7, lower case. */
export const Id = z.uuid().meta({ description: 'UUIDv7', examples: ['019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e0f'] });
/** Key of a project, environment, segment …: lower case, dots, dashes. */
export const Key = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,127}$/, 'a key is 1 to 128 of a-z 0-9 . _ - and begins with a letter or digit')
  .meta({ examples: ['checkout'] });
/** Key of a flag or variant: as `Key`, upper case allowed. */
export const FlagKey = z
  .string()
  .regex(
    /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,127}$/,
    'a flag key is 1 to 128 of a-z A-Z 0-9 . _ - and begins with a letter or digit',
  )
  .meta({ examples: ['new-checkout'] });
/** RFC 3339 in UTC. */
export const Time = z.iso.datetime().meta({ examples: ['2026-11-20T09:30:00.000Z'] });
// biome-ignore lint/suspicious/noControlCharactersInRegex: rejects control characters
const oneLine = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/;
const notOneLine = 'no control characters or line breaks';
export const isOneLine = (text: string): boolean => oneLine.test(text);
/** Text of one line, at most so many characters; may be empty. */
export const OneLine = (most: number) => z.string().max(most).regex(oneLine, notOneLine);
/** A display name: one line, trimmed, 1 to 200 characters. */
export const Name = z.string().trim().min(1).max(200).regex(oneLine, notOneLine);
/** Search text: one line, may be empty. */
export const SearchText = OneLine(200);
export const Description = z.string().max(10_000);
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email())
  .meta({ format: 'email', pattern: z.regexes.email.source, examples: ['ada@example.com'] });
/** 8 to 200 characters: length is what makes a password strong; the upper bound keeps hashing cheap. */
export const Password = z.string().min(8).max(200);
/**
 * `https://…` or `http://…`, nothing else: links are rendered in pages. Parsers of URLs leave out tabs and line breaks, so a
 * text with them would be shown as one address and lead to another.
 */
export const WebUrl = z
  .string()
  .max(2000)
  .regex(oneLine, notOneLine)
  .refine(isWebUrl, 'an address that begins with https:// or http://')
  .meta({ format: 'uri' });

function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
/** Nanoseconds of later times do not fit into 64 bits; the parser of times says so. */
const latestMs = 9_223_372_036_854;
/** RFC 3339, epoch milliseconds, or relative: `now`, `now-1h`, `now+5m`. */
export const TimeInput = z
  .union([z.string().min(1).max(64), z.number().int().meta({ minimum: 0, maximum: latestMs })])
  .meta({ description: 'RFC 3339, epoch milliseconds, or relative such as now-1h', examples: ['now-1h'] });

/** The end of a window: as `TimeInput`, with an example later than that of the start. */
export const WindowEnd = TimeInput.meta({
  description: 'RFC 3339, epoch milliseconds, or relative such as now',
  examples: ['now'],
});

/** `true` or `false` in a query; synonyms such as `1` and `yes` are accepted too. */
export const QueryBoolean = z.stringbool().meta({ enum: ['true', 'false'] });

/** Counts writes of a resource; a signed integer of 32 bits in the store. */
export const maxVersion = 2_147_483_647;
export const Version = z.number().int().min(0).max(maxVersion);
/** How many there are of something. */
export const Count = z.number().int().min(0);
/** A part of 100000. */
export const Weight = z.number().int().min(0).max(100_000);
export const HttpStatus = z.number().int().min(100).max(599);
export const Port = z.number().int().min(1).max(65_535);
/** A resource by its id, with the name that people know. */
export const Reference = z.object({ id: Id, name: z.string() });

export const defaultPageSize = 50;
export const pageQuery = (size: number) =>
  z.object({
    limit: z.coerce.number().int().min(1).max(500).default(size).meta({ description: 'rows per page' }),
    cursor: z.string().max(500).optional().meta({ description: '`next_cursor` of the previous page' }),
  });
export const PageQuery = pageQuery(defaultPageSize);
export type PageQuery = z.output<typeof PageQuery>;
