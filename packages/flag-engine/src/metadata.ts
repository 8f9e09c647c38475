/** Most fields of a flag's metadata. */
export const MAX_METADATA_FIELDS = 50;
/** Longest name of a field of a flag's metadata. */
export const MAX_METADATA_NAME_LENGTH = 100;
/** Longest text in a flag's metadata. */
export const MAX_METADATA_TEXT_LENGTH = 1_024;

/** Metadata names that the service and OpenFeature's telemetry use. */
const RESERVED: ReadonlySet<string> = new Set(['flagVersion', 'version', 'flagSetId', 'contextId', 'ruleId']);

/** The problem of a flag's metadata; undefined if it is valid. */
export function wrongMetadata(metadata: Readonly<Record<string, unknown>>): string | undefined {
  const entries = Object.entries(metadata);
  if (entries.length > MAX_METADATA_FIELDS)
    return `has ${entries.length} fields, at most ${MAX_METADATA_FIELDS} are allowed`;
  for (const [name, value] of entries) {
    if (name === '' || name.length > MAX_METADATA_NAME_LENGTH) {
      return `"${name.slice(0, 20)}" is not a name of 1 to ${MAX_METADATA_NAME_LENGTH} characters`;
    }
    if (RESERVED.has(name)) return `"${name}" is a reserved name`;
    const isText = typeof value === 'string' && value.length <= MAX_METADATA_TEXT_LENGTH;
    if (!isText && typeof value !== 'boolean' && !Number.isFinite(value)) {
      return `"${name}" must be a boolean, a finite number, or a text of at most ${MAX_METADATA_TEXT_LENGTH} characters`;
    }
  }
  return undefined;
}
