/** The count of one answer of a flag, for evaluations that are not stored individually. */
export interface CountedAnswer {
  /** Unix milliseconds, when counting began. */
  readonly at: number;
  readonly flag: string;
  /** Empty if the evaluation failed. */
  readonly variant: string;
  /** As OpenTelemetry names reasons: `targeting_match`, `split`, … */
  readonly reason: string;
  readonly version: string;
  readonly tracked: boolean;
  /** Error code; empty: none. */
  readonly error: string;
  readonly count: number;
}

/** One evaluation that is stored individually, for its unit or its trace. */
export interface SeenEvaluation extends Omit<CountedAnswer, 'count'> {
  readonly unit: string;
  /** The attribute whose value is the unit; empty: the targeting key. */
  readonly kind: string;
  /** Lower-case hexadecimal; empty: none. */
  readonly traceId: string;
  readonly spanId: string;
}

export interface Evaluations {
  readonly counted: readonly CountedAnswer[];
  readonly seen: readonly SeenEvaluation[];
}

/**
 * The body of an entry of the signal `evaluations`, in the encoding `evaluations-json`: the server's evaluation counts,
 * each as an array to save the names. New members may only be appended.
 */
export function encodeEvaluations({ counted, seen }: Evaluations): Buffer {
  const common = (one: Omit<CountedAnswer, 'count'>) => [
    ...[one.at, one.flag, one.variant, one.reason, one.version, one.tracked ? 1 : 0, one.error],
  ];
  return Buffer.from(
    JSON.stringify([
      counted.map((one) => [...common(one), one.count]),
      seen.map((one) => [...common(one), one.unit, one.kind, one.traceId, one.spanId]),
    ]),
  );
}

/** @throws if the bytes are not such a body. */
export function decodeEvaluations(body: Buffer): Evaluations {
  const parsed: unknown = JSON.parse(body.toString('utf8'));
  if (!Array.isArray(parsed) || !Array.isArray(parsed[0]) || !Array.isArray(parsed[1]))
    throw new Error('no evaluations');
  return {
    counted: parsed[0].map((row) => {
      const fields = fieldsOf(row);
      return { ...commonOf(fields), count: fields.number(7) };
    }),
    seen: parsed[1].map((row) => {
      const fields = fieldsOf(row);
      const { text } = fields;
      return { ...commonOf(fields), unit: text(7), kind: text(8), traceId: text(9), spanId: text(10) };
    }),
  };
}

function fieldsOf(row: unknown) {
  if (!Array.isArray(row)) throw new Error('no evaluation');
  const wrong = (at: number) => new Error(`an evaluation without field ${at}`);
  return {
    text(at: number): string {
      const value: unknown = row[at];
      if (typeof value !== 'string') throw wrong(at);
      return value;
    },
    number(at: number): number {
      const value: unknown = row[at];
      if (typeof value !== 'number') throw wrong(at);
      return value;
    },
  };
}

function commonOf({ text, number }: ReturnType<typeof fieldsOf>): Omit<CountedAnswer, 'count'> {
  return {
    at: number(0),
    flag: text(1),
    variant: text(2),
    reason: text(3),
    version: text(4),
    tracked: number(5) === 1,
    error: text(6),
  };
}
