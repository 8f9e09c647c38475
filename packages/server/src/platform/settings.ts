import { isOneLine } from '@fanion/contract';
import { z } from 'zod';

/** An environment variable. Its row in docs/configuration.md is made from this. */
export interface Setting<Value = unknown> {
  readonly variable: string;
  /** How the text of the variable is read, with the default. */
  readonly schema: z.ZodType<Value>;
  /** The meaning, in one line, with the unit. */
  readonly help: string;
  /** For the page, where the schema cannot tell them. */
  readonly default?: string;
  readonly range?: string;
}

/** Settings by the names that code uses, in groups. */
export interface Settings {
  readonly [name: string]: Setting | Settings;
}

/** What a group of settings holds once it is read. */
export type SettingsOf<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends Setting<infer Value> ? Value : SettingsOf<Group[Name]>;
};

/** Declares a variable in a group of a `settings.ts`; `config.ts` composes the groups. */
export function setting<Value>(
  variable: string,
  schema: z.ZodType<Value>,
  about: Pick<Setting, 'help' | 'default' | 'range'>,
): Setting<Value> {
  return { variable, schema, ...about };
}

export function listSettings(group: Settings): Setting[] {
  return Object.values(group).flatMap((one) => (isSetting(one) ? [one] : listSettings(one)));
}

export function schemaOf(group: Settings) {
  return z.object(Object.fromEntries(listSettings(group).map(({ variable, schema }) => [variable, schema])));
}

/** What a group holds without any variable. */
export function defaultsOf<Group extends Settings>(group: Group): SettingsOf<Group> {
  return fill(group, schemaOf(group).parse({}));
}

/** Puts the values of variables in the places of their settings. */
export function fill<Group extends Settings>(
  group: Group,
  values: Readonly<Record<string, unknown>>,
): SettingsOf<Group> {
  const filled = Object.entries(group).map(([name, one]) => [
    name,
    isSetting(one) ? values[one.variable] : fill(one, values),
  ]);
  // The types of single entries are lost in a list of them.
  return Object.fromEntries(filled) as SettingsOf<Group>;
}

export function isSetting(one: Setting | Settings): one is Setting {
  return typeof one.variable === 'string';
}

export const kibibyte = 1024;
export const mebibyte = 1024 ** 2;
export const gibibyte = 1024 ** 3;

export const atLeast = (least: number) => z.coerce.number().int().min(least);
export const count = (least: number, most: number) => atLeast(least).max(most);

/** @param range as errors and the page describe it */
export const text = (pattern: RegExp, range: string) => z.string().regex(pattern, range).describe(range);

/** Bytes with a unit. */
export const size = text(/^\d+(\.\d+)?(MiB|GiB)$/, 'such as 4GiB').transform((given) =>
  Math.round(Number.parseFloat(given) * (given.endsWith('GiB') ? gibibyte : mebibyte)),
);

/** A number of bytes, or one with a unit. */
export const bytes = (least: number, most: number) =>
  z.union([z.coerce.number().int(), size]).pipe(z.number().min(least).max(most));

export const onOff = z.enum(['on', 'off']);
export const isOn = (given: string) => given === 'on';
export const secondsInMs = (seconds: number) => seconds * 1_000;
export const minutesInMs = (minutes: number) => minutes * 60_000;

export const address = (protocol: RegExp, range: string) =>
  z.url({ protocol }).refine(isOneLine, 'no control characters or line breaks').describe(range);
