import type { Note } from '../../files/report.ts';
import type { FlagDocument, SegmentDocument } from '../document.ts';

/** The result of a converter: documents with the environments by their names in the file, and a report. */
export interface Conversion {
  readonly flags: readonly FlagDocument[];
  readonly segments: readonly SegmentDocument[];
  readonly notes: readonly Note[];
  /** Keys of segments whose members are not in the file, so that nothing may refer to them. */
  readonly lostSegments?: readonly string[];
}

/**
 * A pure function of a parsed file. Throws `NotThisFormat`.
 * @param all the contents of all files of the import, this one included
 */
export type Converter = (content: unknown, all?: readonly unknown[]) => Conversion;
