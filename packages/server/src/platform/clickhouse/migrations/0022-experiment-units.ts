/**
 * Units of running experiments: who saw which arm, and when first. Exposures are kept as long as logs; an experiment may run
 * longer. Rows of a unit are merged by minimum and maximum, so that writing the same exposures again changes nothing; a unit
 * with two different arms saw several. `day` is that on which the experiment started.
 */
const experimentUnits = `CREATE TABLE IF NOT EXISTS experiment_units (
  workspace UInt32, project UInt32, environment LowCardinality(String), experiment UUID, day Date, unit String CODEC(ZSTD(1)),
  first_arm SimpleAggregateFunction(min, String) COMMENT 'in the order of texts', last_arm SimpleAggregateFunction(max, String),
  at SimpleAggregateFunction(min, DateTime64(9, 'UTC')) CODEC(ZSTD(1))
) ENGINE = AggregatingMergeTree PARTITION BY toYYYYMM(day) ORDER BY (workspace, project, experiment, day, environment, unit)
TTL day + INTERVAL 800 DAY SETTINGS ttl_only_drop_parts = 1, non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`;

export const experimentUnits0022 = { id: 22, name: 'experiment-units', statements: [experimentUnits] } as const;
