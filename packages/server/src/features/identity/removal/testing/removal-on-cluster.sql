ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' DELETE WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND time < toDateTime64({before:UInt32}, 9);

ALTER TABLE fanion.trace_index_local ON CLUSTER 'telemetry' DELETE WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND start < toDateTime64({before:UInt32}, 9);

ALTER TABLE fanion.logs_local ON CLUSTER 'telemetry' DELETE WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND time < toDateTime64({before:UInt32}, 9);

ALTER TABLE fanion.metric_points_local ON CLUSTER 'telemetry' DELETE WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND time < toDateTime64({before:UInt32}, 3);

ALTER TABLE fanion.metric_histograms_local ON CLUSTER 'telemetry' DELETE WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND time < toDateTime64({before:UInt32}, 3);

ALTER TABLE fanion.exemplars_local ON CLUSTER 'telemetry' DELETE WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND time < toDateTime64({before:UInt32}, 3);

ALTER TABLE fanion.profile_samples_local ON CLUSTER 'telemetry' DELETE WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND time < toDateTime64({before:UInt32}, 9);

ALTER TABLE fanion.profile_stacks_local ON CLUSTER 'telemetry' DELETE WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND day < toDate(toDateTime({before:UInt32}));

ALTER TABLE fanion.ingest_refusals_local ON CLUSTER 'telemetry' DELETE WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND hour < toStartOfHour(toDateTime({before:UInt32}));

ALTER TABLE fanion.arrivals_local ON CLUSTER 'telemetry' DELETE WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND last_at < toDateTime64({before:UInt32}, 3);

ALTER TABLE fanion.metric_series_local ON CLUSTER 'telemetry' DELETE WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND day <= toDate(toDateTime({before:UInt32})) AND series NOT IN (SELECT series FROM fanion.metric_points_local AS metric_points WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} UNION ALL SELECT series FROM fanion.metric_histograms_local AS metric_histograms WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String});

ALTER TABLE fanion.field_usage_local ON CLUSTER 'telemetry' DELETE WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND bucket < toStartOfFifteenMinutes(toDateTime({before:UInt32}));

ALTER TABLE fanion.service_edges_local ON CLUSTER 'telemetry' DELETE WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND minute < toStartOfMinute(toDateTime({before:UInt32}));

ALTER TABLE fanion.metric_rollup_hours_local ON CLUSTER 'telemetry' DELETE WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND hour < toDateTime({before:UInt32});

ALTER TABLE fanion.metric_rollups_local ON CLUSTER 'telemetry' DELETE WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND time < toDateTime64({before:UInt32}, 3);

ALTER TABLE fanion.slo_minutes_local ON CLUSTER 'telemetry' DELETE WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND minute < toStartOfMinute(toDateTime({before:UInt32}));

ALTER TABLE fanion.flag_events_local ON CLUSTER 'telemetry' DELETE WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND time < toDateTime64({before:UInt32}, 9);

ALTER TABLE fanion.exposures_local ON CLUSTER 'telemetry' DELETE WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND first_at < toDateTime64({before:UInt32}, 9);

ALTER TABLE fanion.flag_evaluations_local ON CLUSTER 'telemetry' DELETE WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND minute < toStartOfMinute(toDateTime({before:UInt32}));

ALTER TABLE fanion.experiment_units_local ON CLUSTER 'telemetry' DELETE WHERE workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND at < toDateTime64({before:UInt32}, 9);
