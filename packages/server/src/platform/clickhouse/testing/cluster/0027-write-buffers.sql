ALTER TABLE fanion.logs_local ON CLUSTER 'telemetry' MODIFY SETTING min_columns_to_activate_adaptive_write_buffer = 1, adaptive_write_buffer_initial_size = 131072;
