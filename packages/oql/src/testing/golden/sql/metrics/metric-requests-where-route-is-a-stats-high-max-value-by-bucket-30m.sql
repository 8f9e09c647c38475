-- metric requests | where route == "/a" | stats high=max(value) by bucket(30m)
WITH toStartOfInterval(c2, toIntervalSecond(1800)) AS c65,
  maxOrNull(c4) AS c66
SELECT c65 AS r1,
  c66 AS r2
FROM (
  SELECT time AS c2,
    value AS c4
  FROM metric_points
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
  AND (metric = {p5:String} AND NOT no_recorded_value)
  AND (series IN (
    WITH any(attributes) AS c52,
      any(resource) AS c51
    SELECT series AS c42
    FROM metric_series
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
    AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
    AND (metric = {p5:String})
    GROUP BY c42
    HAVING (if(mapContains(c52, {p8:String}), c52[{p8:String}], c51[{p8:String}]) = {p9:String})
  ))
  ORDER BY series,
    time,
    value DESC,
    start_time DESC
  LIMIT 1 BY series,
    time
  UNION ALL
  SELECT time AS c2,
    CAST(NULL, 'Nullable(Float64)') AS c4
  FROM metric_histograms
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
  AND (metric = {p5:String} AND NOT no_recorded_value)
  AND (series IN (
    WITH any(attributes) AS c52,
      any(resource) AS c51
    SELECT series AS c42
    FROM metric_series
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
    AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
    AND (metric = {p5:String})
    GROUP BY c42
    HAVING (if(mapContains(c52, {p8:String}), c52[{p8:String}], c51[{p8:String}]) = {p9:String})
  ))
  ORDER BY series,
    time,
    count DESC,
    sum DESC,
    start_time DESC
  LIMIT 1 BY series,
    time
)
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
-- p8 = "route"
-- p9 = "/a"
