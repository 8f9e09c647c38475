/**
 * The inverse of the sampling probability in a `tracestate`, 1 if there is none. The threshold `th` in the `ot` member
 * is up to 14 hex digits of 56 bits, without trailing zeros: the rejected share of the trace id space (OpenTelemetry
 * "TraceState: Probability Sampling", W3C Trace Context level 2).
 */
export function samplingWeight(traceState: string): number {
  const match = /(?:^|[,\s])ot=(?:[^,]*;)?th:([0-9a-f]{1,14})(?:[;,\s]|$)/.exec(traceState);
  if (match?.[1] === undefined) return 1;
  // 56 bits are too many for a double, and near the top only the difference counts.
  const accepted = 2n ** 56n - BigInt(`0x${match[1].padEnd(14, '0')}`);
  return 2 ** 56 / Number(accepted);
}
