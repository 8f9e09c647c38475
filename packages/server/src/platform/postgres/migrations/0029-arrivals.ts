/**
 * How late the telemetry of each source arrives, by the server that received it. An offset of 30 s was the default of alert
 * rules, which is automatic now.
 */
export const arrivals0029 = {
  id: 29,
  name: 'arrivals',
  statements: [
    `CREATE TABLE arrivals (
      project integer NOT NULL, signal text NOT NULL, source text NOT NULL, replica text NOT NULL, late_ms integer NOT NULL, seen_at timestamptz NOT NULL,
      PRIMARY KEY (project, signal, source, replica))`,
    `CREATE INDEX arrivals_seen_at ON arrivals (seen_at)`,
    `UPDATE alert_rules SET definition = jsonb_set(definition, '{offset}', 'null') WHERE definition ->> 'offset' = '30s'`,
  ],
} as const;
