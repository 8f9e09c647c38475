-- metric requests | where route == "/a" and value > 10000 | count by route, service.name
WITH c68 AS c65,
  c48 AS c66,
  count() AS c67
SELECT c65 AS r1,
  c66 AS r2,
  c67 AS r3
FROM (
  SELECT c1
  FROM (
    SELECT series AS c1
    FROM metric_points
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
    AND (metric = {p5:String} AND NOT no_recorded_value)
    AND (ifNull((value > {p6:Int64}), false) AND (series IN (
      WITH any(attributes) AS c52,
        any(resource) AS c51
      SELECT series AS c42
      FROM metric_series
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND day >= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
      AND day <= toDate(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
      AND (metric = {p5:String})
      GROUP BY c42
      HAVING (if(mapContains(c52, {p9:String}), c52[{p9:String}], c51[{p9:String}]) = {p10:String})
    )))
    UNION ALL
    SELECT series AS c1
    FROM metric_histograms
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
    AND (metric = {p5:String} AND NOT no_recorded_value)
    AND (ifNull((CAST(NULL, 'Nullable(Float64)') > {p6:Int64}), false) AND (series IN (
      WITH any(attributes) AS c52,
        any(resource) AS c51
      SELECT series AS c42
      FROM metric_series
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND day >= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
      AND day <= toDate(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
      AND (metric = {p5:String})
      GROUP BY c42
      HAVING (if(mapContains(c52, {p9:String}), c52[{p9:String}], c51[{p9:String}]) = {p10:String})
    )))
  )
) AS l
INNER JOIN (
  WITH any(attributes) AS c52,
    any(resource) AS c51
  SELECT multiIf(mapContains(c52, {p9:String}), c52[{p9:String}], mapContains(c51, {p9:String}), c51[{p9:String}], NULL) AS c68,
    any(service) AS c48,
    series AS c42
  FROM metric_series
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND day >= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
  AND day <= toDate(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
  AND (metric = {p5:String})
  GROUP BY c42
  HAVING (if(mapContains(c52, {p9:String}), c52[{p9:String}], c51[{p9:String}]) = {p10:String})
) AS r ON c1 = c42
GROUP BY c65,
  c66
ORDER BY toFloat64OrNull(c65),
  c65,
  c66
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000"
-- p4 = "1795100400000"
-- p5 = "requests"
-- p6 = "10000"
-- p7 = "1795096800000000000"
-- p8 = "1795100400000000000"
-- p9 = "route"
-- p10 = "/a"
