/** What an item of a signal costs. Times are processor seconds, of two machines: see docs/guides/scaling.md. */
export interface ItemCost {
  readonly serverSeconds: number;
  /** Inserts and merges, in large blocks. */
  readonly storeSeconds: number;
  /** What one server stored a second with its sender and its store on the same two cores. */
  readonly mostOfServer: number;
  readonly protobufBytes: number;
  /** From the server to the store. */
  readonly insertedBytes: number;
  /** Merged. */
  readonly storedBytes: number;
}

export interface Figures {
  readonly span: ItemCost;
  readonly log: ItemCost;
  readonly point: ItemCost;
  /** Processor time of the store to insert a block, beside its rows: parts of the table and of what is derived. Merges of small parts added nothing measurable. */
  readonly blockSeconds: number;
  /** The share of {@link ItemCost.storeSeconds} that is merges. */
  readonly mergeShare: number;
  /** How often a server closes the segment of its log, at least, when telemetry arrives all the time. */
  readonly segmentSeconds: number;
  readonly segmentBytes: number;
  readonly segmentItems: number;
  /** At which an ingest server answers 503. */
  readonly logBytes: number;
  /** Processor time of the store to read a row for a query. */
  readonly readRowSeconds: number;
  /** Of the role `api` for a query. */
  readonly querySeconds: number;
  readonly mostRowsOfQuery: number;
}

/** Which of them are measured stands in docs/guides/scaling.md, with the command for each. */
export const measured: Figures = {
  span: {
    serverSeconds: 5.6e-6,
    storeSeconds: 8.5e-6,
    mostOfServer: 142_178,
    protobufBytes: 408,
    insertedBytes: 454,
    storedBytes: 50.1,
  },
  log: {
    serverSeconds: 3.6e-6,
    storeSeconds: 7.3e-6,
    mostOfServer: 172_904,
    protobufBytes: 183,
    insertedBytes: 287,
    storedBytes: 31.1,
  },
  point: {
    serverSeconds: 1.0e-6,
    storeSeconds: 0.8e-6,
    mostOfServer: 889_953,
    protobufBytes: 74,
    insertedBytes: 46,
    storedBytes: 0.8,
  },
  blockSeconds: 0.155,
  mergeShare: 0.67,
  segmentSeconds: 1,
  segmentBytes: 56 * 1024 ** 2,
  segmentItems: 480_000,
  logBytes: 8 * 1024 ** 3,
  readRowSeconds: 52e-9,
  querySeconds: 5.6e-3,
  mostRowsOfQuery: 2e9,
};
