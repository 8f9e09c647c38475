-- metric requests | stats n=count(), high=max(value) by service.name
WITH c48 AS c65,
  count() AS c66,
  maxOrNull(c4) AS c67
SELECT c65 AS r1,
  c66 AS r2,
  c67 AS r3
FROM (
  SELECT c4,
    c1
  FROM (
    SELECT series AS c1,
      value AS c4
    FROM metric_points
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
    AND (metric = {p5:String} AND NOT no_recorded_value)
    ORDER BY series,
      time,
      value DESC,
      start_time DESC
    LIMIT 1 BY series,
      time
    UNION ALL
    SELECT series AS c1,
      CAST(NULL, 'Nullable(Float64)') AS c4
    FROM metric_histograms
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
    AND (metric = {p5:String} AND NOT no_recorded_value)
    ORDER BY series,
      time,
      count DESC,
      sum DESC,
      start_time DESC
    LIMIT 1 BY series,
      time
  )
) AS l
INNER JOIN (
  SELECT any(service) AS c48,
    series AS c42
  FROM metric_series
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
  AND (metric = {p5:String})
  GROUP BY c42
) AS r ON c1 = c42
GROUP BY c65
ORDER BY c65
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000"
-- p4 = "1795100400000"
-- p5 = "requests"
-- p6 = "1795096800000000000"
-- p7 = "1795100400000000000"
