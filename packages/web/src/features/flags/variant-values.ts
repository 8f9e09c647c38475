import type { listFlags, RouteResponse } from '@fanion/contract';

export type Kind = RouteResponse<typeof listFlags>[number]['kind'];

export interface VariantDraft {
  key: string;
  /** The value as typed: plain text for strings, a number or JSON for other kinds. */
  text: string;
}

export interface Variant {
  key: string;
  value: unknown;
}

/** Initial variants of a new flag by kind. */
export function initialVariants(kind: Kind): VariantDraft[] {
  switch (kind) {
    case 'boolean':
      return [
        { key: 'true', text: 'true' },
        { key: 'false', text: 'false' },
      ];
    case 'string':
      return [
        { key: 'a', text: 'a' },
        { key: 'b', text: 'b' },
      ];
    case 'number':
      return [
        { key: 'low', text: '1' },
        { key: 'high', text: '10' },
      ];
    case 'json':
      return [
        { key: 'on', text: '{"enabled": true}' },
        { key: 'off', text: '{"enabled": false}' },
      ];
  }
}

const KEY = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,127}$/;

/** Parses the typed variants of a flag; errors are by variant. */
export function readVariants(
  kind: Kind,
  drafts: readonly VariantDraft[],
): { variants: Variant[]; errors: (string | undefined)[] } {
  const errors = drafts.map((draft, index) => {
    if (!KEY.test(draft.key)) return 'The key must be 1 to 128 letters, digits, dots or dashes';
    if (drafts.findIndex((other) => other.key === draft.key) !== index) return 'Another variant has this key';
    return readValue(kind, draft.text).error;
  });
  return { variants: drafts.map((draft) => ({ key: draft.key, value: readValue(kind, draft.text).value })), errors };
}

function readValue(kind: Kind, text: string): { value?: unknown; error?: string } {
  switch (kind) {
    case 'string':
      return { value: text };
    case 'boolean':
      return text === 'true' || text === 'false'
        ? { value: text === 'true' }
        : { error: 'The value must be true or false' };
    case 'number': {
      const value = Number(text);
      return text.trim() === '' || !Number.isFinite(value) ? { error: 'The value must be a number' } : { value };
    }
    case 'json':
      try {
        return { value: JSON.parse(text) as unknown };
      } catch (cause) {
        return { error: `Not JSON: ${cause instanceof Error ? cause.message : 'unreadable'}` };
      }
  }
}

/** A variant's value in one line. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
