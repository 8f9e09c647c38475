ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' MODIFY SETTING min_columns_to_activate_adaptive_write_buffer = 1, adaptive_write_buffer_initial_size = 131072;

ALTER TABLE fanion.profile_samples_local ON CLUSTER 'telemetry' MODIFY SETTING min_columns_to_activate_adaptive_write_buffer = 1, adaptive_write_buffer_initial_size = 131072;

ALTER TABLE fanion.profile_stacks_local ON CLUSTER 'telemetry' MODIFY SETTING min_columns_to_activate_adaptive_write_buffer = 1, adaptive_write_buffer_initial_size = 131072;

ALTER TABLE fanion.metric_series_local ON CLUSTER 'telemetry' MODIFY SETTING min_columns_to_activate_adaptive_write_buffer = 1, adaptive_write_buffer_initial_size = 131072;

ALTER TABLE fanion.metric_histograms_local ON CLUSTER 'telemetry' MODIFY SETTING min_columns_to_activate_adaptive_write_buffer = 1, adaptive_write_buffer_initial_size = 131072;

ALTER TABLE fanion.exemplars_local ON CLUSTER 'telemetry' MODIFY SETTING min_columns_to_activate_adaptive_write_buffer = 1, adaptive_write_buffer_initial_size = 131072;

ALTER TABLE fanion.flag_events_local ON CLUSTER 'telemetry' MODIFY SETTING min_columns_to_activate_adaptive_write_buffer = 1, adaptive_write_buffer_initial_size = 131072;
