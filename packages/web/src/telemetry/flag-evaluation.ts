/** The event that reports an evaluation, on a log record or on a span (semantic conventions of OpenTelemetry). */
export const FLAG_EVALUATION = 'feature_flag.evaluation';
