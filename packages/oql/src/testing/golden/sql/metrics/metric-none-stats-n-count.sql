-- metric none | stats n=count()
WITH count() AS c90
SELECT c90 AS r1
FROM (
  SELECT 1 AS c0
  FROM metric_points
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
  AND ((metric = {p5:String}) AND NOT no_recorded_value)
  ORDER BY series,
    time,
    value DESC,
    start_time DESC
  LIMIT 1 BY series,
    time
  UNION ALL
  SELECT 1 AS c0
  FROM metric_histograms
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
  AND ((metric = {p5:String}) AND NOT no_recorded_value)
  ORDER BY series,
    time,
    count DESC,
    sum DESC,
    start_time DESC
  LIMIT 1 BY series,
    time
)
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000"
-- p4 = "1795100400000"
-- p5 = "none"
