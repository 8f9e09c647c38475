ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' MODIFY COLUMN trace_id FixedString(16) CODEC(ZSTD(3)) SETTINGS (min_compress_block_size = 524288, max_compress_block_size = 524288);

ALTER TABLE fanion.spans ON CLUSTER 'telemetry' MODIFY COLUMN trace_id FixedString(16) CODEC(ZSTD(3)) SETTINGS (min_compress_block_size = 524288, max_compress_block_size = 524288);

ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' MODIFY COLUMN parent_span_id FixedString(8) CODEC(ZSTD(3)) SETTINGS (min_compress_block_size = 262144, max_compress_block_size = 262144);

ALTER TABLE fanion.spans ON CLUSTER 'telemetry' MODIFY COLUMN parent_span_id FixedString(8) CODEC(ZSTD(3)) SETTINGS (min_compress_block_size = 262144, max_compress_block_size = 262144);
