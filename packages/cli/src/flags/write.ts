import type { EnvironmentDocument, FlagDocument, SegmentDocument } from './document.ts';

export type FlagPatch = Partial<
  Pick<
    FlagDocument,
    | 'name'
    | 'description'
    | 'variants'
    | 'default_variant'
    | 'off_variant'
    | 'tags'
    | 'temporary'
    | 'metadata'
    | 'client_visible'
  >
>;

/** One write. `version` is the one that was read: the server rejects the write if somebody has written since. */
export type Write =
  | { readonly kind: 'create_segment'; readonly segment: SegmentDocument }
  | {
      readonly kind: 'update_segment';
      readonly before: SegmentDocument;
      readonly segment: SegmentDocument;
      readonly version: number;
    }
  | { readonly kind: 'create_flag'; readonly flag: FlagDocument }
  | { readonly kind: 'update_flag'; readonly key: string; readonly patch: FlagPatch; readonly version: number }
  | {
      readonly kind: 'set_prerequisites';
      readonly key: string;
      readonly prerequisites: FlagDocument['prerequisites'];
      readonly version: number | undefined;
    }
  | {
      readonly kind: 'set_targeting';
      readonly key: string;
      readonly environment: string;
      readonly targeting: EnvironmentDocument & { readonly off_variant: string | null };
      readonly version: number;
    }
  | { readonly kind: 'archive_flag'; readonly key: string; readonly version: number }
  | { readonly kind: 'remove_segment'; readonly key: string };

export interface Planned {
  readonly write: Write;
  readonly lines: readonly string[];
}
