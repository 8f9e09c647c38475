/**
 * The default offset of recording rules was 30 s and is automatic now: null. `offset_ms` is then what was learnt last; 1 s until that
 * is known.
 */
export const automaticOffsets0032 = {
  id: 32,
  name: 'automatic_offsets',
  statements: [
    `UPDATE recording_rules SET definition = jsonb_set(definition, '{offset}', 'null'), offset_ms = least(1000, every_ms / 10)
      WHERE definition ->> 'offset' = '30s'`,
  ],
} as const;
