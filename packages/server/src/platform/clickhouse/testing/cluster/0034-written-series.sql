ALTER TABLE fanion.metric_series_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS written Bool MATERIALIZED (scope_name = '' AND scope_version = ''
  AND arrayAll(k -> k IN ('service.namespace', 'service.name', 'service.instance.id', 'deployment.environment.name'), mapKeys(resource))
  AND resource['service.instance.id'] = attributes['instance']
  AND attributes['job'] IN (resource['service.name'], concat(resource['service.namespace'], '/', resource['service.name']))) COMMENT 'by remote write';

ALTER TABLE fanion.metric_series ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS written Bool MATERIALIZED (scope_name = '' AND scope_version = ''
  AND arrayAll(k -> k IN ('service.namespace', 'service.name', 'service.instance.id', 'deployment.environment.name'), mapKeys(resource))
  AND resource['service.instance.id'] = attributes['instance']
  AND attributes['job'] IN (resource['service.name'], concat(resource['service.namespace'], '/', resource['service.name']))) COMMENT 'by remote write';

ALTER TABLE fanion.metric_series_local ON CLUSTER 'telemetry' MATERIALIZE COLUMN written;
