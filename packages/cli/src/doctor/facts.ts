/** What the probes have found; the rules judge it. Bytes and milliseconds, unless a name says otherwise. */
export interface Facts {
  readonly versions: { readonly cli: string; readonly node: string };
  /** Variables that begin with `FANION_` and have no effect. */
  readonly unknownVariables: readonly string[];
  readonly server: ServerFacts;
  readonly directory: DirectoryFacts;
  readonly controlPlane: StoreFacts;
  readonly telemetryStore: StoreFacts;
  readonly memory: MemoryFacts;
  /** The limit of open files of the server, else of a process that this one would start; undefined: not known here. */
  readonly openFiles: number | undefined;
  readonly ports: readonly PortFacts[];
  readonly secretKey: SecretKeyFacts;
}

export type ServerFacts =
  | { readonly isUp: false; readonly endpoint: string; readonly problem: string }
  | {
      readonly isUp: true;
      readonly endpoint: string;
      readonly status: string;
      readonly version: string;
      /** Of its `Date` header, which counts whole seconds, less half of the time that the answer took. */
      readonly aheadMs: number;
      readonly dependencies: readonly { readonly name: string; readonly status: string; readonly detail?: string }[];
    };

export interface DirectoryFacts {
  readonly path: string;
  /** Undefined: it does not exist. */
  readonly kind: 'directory' | 'other' | undefined;
  readonly isWritable: boolean;
  readonly owner: { readonly pid: number; readonly isAlive: boolean } | undefined;
  /** On its file system; undefined: nothing of its path exists. */
  readonly freeBytes: number | undefined;
  readonly minFreeBytes: number;
  readonly wal: { readonly bytes: number; readonly maxBytes: number; readonly ageSeconds: number } | undefined;
}

export type StoreFacts =
  | { readonly kind: 'embedded' }
  | { readonly kind: 'external'; readonly variable: string; readonly problem: string }
  | {
      readonly kind: 'external';
      readonly problem?: undefined;
      readonly variable: string;
      readonly product: string;
      readonly version: string;
      readonly least: string;
      /** Undefined: the store cannot tell. */
      readonly mayMigrate: boolean | undefined;
      readonly aheadMs: number;
    };

export interface MemoryFacts {
  readonly configured: number | undefined;
  readonly used: number;
  readonly machine: number;
  readonly group: number | undefined;
  readonly available: number;
}

export interface PortFacts {
  readonly variable: string;
  readonly port: number;
  readonly isOpen: boolean;
}

export type SecretKeyFacts =
  | { readonly from: 'variable' }
  | {
      readonly from: 'file';
      readonly path: string;
      /** Undefined if the file does not exist. */
      readonly mode: number | undefined;
      readonly isReadable: boolean;
      /** Whether there is a control plane whose secrets it has encrypted. */
      readonly isNeeded: boolean;
    };
