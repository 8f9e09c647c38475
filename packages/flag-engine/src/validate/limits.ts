/** Most variants of a flag. */
export const MAX_VARIANTS = 100;
/** Longest value of a variant, as JSON text in UTF-16 code units. */
export const MAX_VARIANT_LENGTH = 65_536;
/** Deepest nesting of a variant's value: `[[1]]` is nested 2 deep. Deeper JSON overflows the stacks of its readers. */
export const MAX_VARIANT_DEPTH = 64;
/** Most rules of a flag in one environment, and of a segment. */
export const MAX_RULES = 200;
/** Most clauses of a rule. */
export const MAX_CLAUSES = 50;
/** Most targets of a flag in one environment. */
export const MAX_TARGETS = 200;
/** Most values of all targets of a flag in one environment: beyond it, a segment is the better place. */
export const MAX_TARGET_VALUES = 100_000;
/** Most keys of each of a segment's two lists. */
export const MAX_SEGMENT_KEYS = 1_000_000;
/** Longest attribute name or JSON pointer. */
export const MAX_ATTRIBUTE_LENGTH = 256;
/** Longest text in a clause, targeting key in a target or segment, and seed. */
export const MAX_TEXT_LENGTH = 1_024;
/** Most attributes that are tried if `bucket_by` has no value. */
export const MAX_FALLBACK_ATTRIBUTES = 4;
/** Most shares of a rule. */
export const MAX_SHARES = 10;
/** Most ranges of a share. */
export const MAX_SHARE_RANGES = 100;
/** Most prerequisites of a flag. */
export const MAX_PREREQUISITES = 50;
/** Most dependencies in a chain, of flags by prerequisites and of segments by clauses. */
export const MAX_DEPENDENCY_DEPTH = 50;
