import type { Call } from '../commands/command.ts';
import type { Connection } from '../files/connect.ts';
import type { Part } from '../files/part.ts';
import type { Note } from '../files/report.ts';
import type { Terminal } from '../files/terminal.ts';

/** What the files of a product become, and how `fanion import` reads them. */
export interface Importer {
  /** Which of the options that only some products have it takes. */
  readonly options: readonly string[];
  read(asked: Asked): Promise<Imported>;
}

/** How an importer was called. With `output`, files are written, and the server is not changed. */
export interface Asked {
  readonly product: string;
  readonly files: readonly string[];
  readonly texts: Call['texts'];
  /** Connects once. */
  connect(): Promise<Connection>;
}

/** What an import found. */
export interface Imported {
  /** `3 channels, 12 routing policies`. */
  readonly summary: string;
  readonly notes: readonly Note[];
  /** Variables that hold the secrets of the imported file, which are never written to files. */
  readonly variables?: readonly string[];
  /** Writes files for `fanion apply`. */
  write(directory: string): Promise<void>;
  /** What brings the server in line with what was found. */
  plan(connection: Connection, env: Terminal['env']): Promise<Part>;
}
