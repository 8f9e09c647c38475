import type { DashboardVariable, VariableValue, VariableValues } from '@fanion/contract';

/** Stands for all values of a variable. */
export const ALL = '$__all';

type Scalar = string | number | boolean;

/**
 * The chosen values as they stand in the address: `service:cart|checkout,code:500`. A text that reads as a number or as
 * true or false is quoted, so that types survive.
 */
export function printValues(values: VariableValues): string | undefined {
  const parts = Object.entries(values).map(([name, value]) => {
    const list = Array.isArray(value) ? value : [value];
    return `${name}:${list.map(printScalar).join('|')}`;
  });
  return parts.length === 0 ? undefined : parts.join(',');
}

/** The reverse; what cannot be read is left out. */
export function parseValues(text: string | undefined): VariableValues {
  const values: Record<string, VariableValue> = Object.create(null);
  for (const part of (text ?? '').split(',')) {
    const [, name, list] = /^([A-Za-z_]\w*):(.*)$/s.exec(part) ?? [];
    if (name === undefined || list === undefined || name === '__proto__') continue;
    const scalars = list.split('|').map(parseScalar);
    values[name] = scalars.length === 1 ? (scalars[0] ?? '') : scalars;
  }
  return { ...values };
}

const plainScalar = /^(-?\d+(\.\d+)?(e[+-]?\d+)?|true|false)$/i;

function printScalar(value: Scalar): string {
  const text = typeof value === 'string' && plainScalar.test(value) ? `"${value}"` : String(value);
  return encodeURIComponent(text).replaceAll('%24', '$').replaceAll('%20', ' ').replaceAll('%2F', '/');
}

function parseScalar(text: string): Scalar {
  let decoded = text;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    // Somebody edited the address by hand: the text is taken as it stands.
  }
  if (plainScalar.test(decoded)) return JSON.parse(decoded.toLowerCase()) as number | boolean;
  const quoted = /^"(.*)"$/s.exec(decoded)?.[1];
  return quoted !== undefined && plainScalar.test(quoted) ? quoted : decoded;
}

/** The value of a variable that is shown as chosen. */
export function shownValue({ name, default: otherwise }: DashboardVariable, values: VariableValues): Scalar[] {
  const value = Object.hasOwn(values, name) ? values[name] : otherwise;
  if (value === undefined || value === '') return [];
  return Array.isArray(value) ? [...value] : [value];
}

/** The address of a link with the chosen values in place of `$name`, encoded; what has no value, or all, is left empty. */
export function urlWithValues(url: string, definitions: readonly DashboardVariable[], values: VariableValues): string {
  return replaceNames(url, definitions, (definition) =>
    encodeURIComponent(
      shownValue(definition, values)
        .filter((value) => value !== ALL)
        .join(','),
    ),
  );
}

/** A text with the chosen values in place of `$name`; several are joined, all of them are a word. */
export function withValues(text: string, definitions: readonly DashboardVariable[], values: VariableValues): string {
  return replaceNames(text, definitions, (definition) => {
    const shown = shownValue(definition, values);
    return shown.length === 0 || shown.includes(ALL) ? 'all' : shown.join(', ');
  });
}

/** Names of unknown variables stay. */
function replaceNames(
  text: string,
  definitions: readonly DashboardVariable[],
  by: (definition: DashboardVariable) => string,
): string {
  return text.replace(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (written, braced?: string, bare?: string) => {
    const definition = definitions.find(({ name }) => name === (braced ?? bare));
    return definition === undefined ? written : by(definition);
  });
}
