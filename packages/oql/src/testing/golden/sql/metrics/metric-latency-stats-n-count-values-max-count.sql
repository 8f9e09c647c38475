-- metric latency | stats n=count(), values=max(count)
WITH count() AS c96,
  maxOrNull(c6) AS c97
SELECT c96 AS r1,
  c97 AS r2
FROM (
  SELECT CAST(NULL, 'Nullable(UInt64)') AS c6
  FROM metric_points
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
  AND ((metric = {p5:String}) AND NOT no_recorded_value)
  ORDER BY series,
    time,
    nanos,
    value DESC,
    fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') DESC
  LIMIT 1 BY series,
    time,
    nanos
  UNION ALL
  SELECT count AS c6
  FROM metric_histograms
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
  AND ((metric = {p5:String}) AND NOT no_recorded_value)
  ORDER BY series,
    time,
    nanos,
    count DESC,
    sum DESC,
    fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') DESC
  LIMIT 1 BY series,
    time,
    nanos
)
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000"
-- p4 = "1795100400000"
-- p5 = "latency"
