import { z } from 'zod';
import { settings } from '../packages/server/src/config.ts';
import { isSetting, listSettings, type Setting, type Settings } from '../packages/server/src/platform/settings.ts';
import { table } from './markdown.ts';

const declared: Settings = settings;

/** Writes a table below each `<!-- settings: … -->`, which names settings and groups as `config.ts` does. */
export function withSettingsTables(page: string): string {
  return page.replaceAll(/(<!-- settings: (.+) -->)\n+(?:\|.*\n+)*/g, (_all, mark: string, names: string) => {
    const rows = names.split(' ').flatMap(settingsNamed).map(rowOf);
    return `${mark}\n\n${table(['variable', 'default', 'range', 'meaning'], rows)}\n\n`;
  });
}

function settingsNamed(name: string): Setting[] {
  const found = declared[name];
  if (found === undefined) throw new Error(`docs/configuration.md: no setting or group is named ${name}`);
  return isSetting(found) ? [found] : listSettings(found);
}

function rowOf(one: Setting): string[] {
  // Limits of the text are in the schema of what is given, those of what is made of it in the other.
  const [input, output] = (['input', 'output'] as const).map((io) =>
    z.toJSONSchema(one.schema, { io, unrepresentable: 'any' }),
  );
  const schema = { ...output, ...input };
  return [`\`${one.variable}\``, one.default ?? defaultOf(one, schema), one.range ?? rangeOf(one, schema), one.help];
}

type Schema = z.core.JSONSchema.BaseSchema;

function defaultOf({ variable }: Setting, schema: Schema): string {
  const text = String(schema.default ?? '');
  if (text === '') return 'not set';
  return `\`${text}\`${variable.includes('_BYTES') ? inUnits(Number(text)) : ''}`;
}

function inUnits(bytes: number): string {
  const [power, unit] = bytes % 1024 ** 3 === 0 ? [3, 'GiB'] : bytes % 1024 ** 2 === 0 ? [2, 'MiB'] : [1, 'KiB'];
  return ` (${bytes / 1024 ** power} ${unit})`;
}

function rangeOf({ variable }: Setting, { description, enum: values, minLength, minimum, maximum }: Schema): string {
  if (description !== undefined) return description;
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ');
  if (minLength !== undefined) return `at least ${minLength} characters`;
  if (minimum === undefined) throw new Error(`${variable}: its schema shows no range: declare one`);
  const hasMaximum = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return hasMaximum ? `\`${minimum}\` to \`${maximum}\`` : `at least \`${minimum}\``;
}
