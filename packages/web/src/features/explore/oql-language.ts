import type { Extension } from '@codemirror/state';

/** OQL in the editor: highlighting and completion. */
export function oqlLanguage(): Extension {
  return [];
}
