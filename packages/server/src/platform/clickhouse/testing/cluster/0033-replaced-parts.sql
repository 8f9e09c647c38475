ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.trace_index_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.span_minutes_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.logs_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.metric_series_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.metric_points_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.metric_histograms_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.metric_rollups_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.metric_rollup_hours_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.exemplars_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.arrivals_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.profile_stacks_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.profile_samples_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.field_usage_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.service_edges_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.slo_minutes_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.ingest_refusals_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.flag_events_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.flag_evaluations_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.exposures_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.experiment_units_local ON CLUSTER 'telemetry' MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10;

ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' MODIFY SETTING merge_selector_base = 10;

ALTER TABLE fanion.logs_local ON CLUSTER 'telemetry' MODIFY SETTING merge_selector_base = 10;
