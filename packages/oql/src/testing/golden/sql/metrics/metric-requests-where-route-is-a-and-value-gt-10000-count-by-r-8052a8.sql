-- metric requests | where route == "/a" and value > 10000 | count by route, service.name
WITH c71 AS c68,
  c50 AS c69,
  count() AS c70
SELECT c68 AS r1,
  c69 AS r2,
  c70 AS r3
FROM (
  SELECT c1
  FROM (
    SELECT c20 AS c1
    FROM (
      SELECT series AS c20,
        value AS c22
      FROM metric_points
      WHERE workspace = {p2:UInt32}
      AND project = {p3:UInt32}
      AND time >= fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Milli({p5:Int64}, 'UTC')
      AND ((metric = {p6:String}) AND NOT no_recorded_value)
      AND (series IN (
        WITH any(attributes) AS c54,
          any(resource) AS c53
        SELECT series AS c42
        FROM metric_series
        WHERE workspace = {p2:UInt32}
        AND project = {p3:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
        AND (metric = {p6:String})
        GROUP BY c42
        HAVING (if(mapContains(c54, {p9:String}), c54[{p9:String}], c53[{p9:String}]) = {p10:String})
      ))
      ORDER BY series,
        time,
        value DESC,
        start_time DESC
      LIMIT 1 BY series,
        time
    )
    WHERE ifNull((c22 > {p1:Int64}), false)
    UNION ALL
    SELECT c26 AS c1
    FROM (
      SELECT series AS c26
      FROM metric_histograms
      WHERE workspace = {p2:UInt32}
      AND project = {p3:UInt32}
      AND time >= fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Milli({p5:Int64}, 'UTC')
      AND ((metric = {p6:String}) AND NOT no_recorded_value)
      AND (series IN (
        WITH any(attributes) AS c54,
          any(resource) AS c53
        SELECT series AS c42
        FROM metric_series
        WHERE workspace = {p2:UInt32}
        AND project = {p3:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
        AND (metric = {p6:String})
        GROUP BY c42
        HAVING (if(mapContains(c54, {p9:String}), c54[{p9:String}], c53[{p9:String}]) = {p10:String})
      ))
      ORDER BY series,
        time,
        count DESC,
        sum DESC,
        start_time DESC
      LIMIT 1 BY series,
        time
    )
    WHERE ifNull((CAST(NULL, 'Nullable(Float64)') > {p1:Int64}), false)
  )
) AS l
INNER JOIN (
  WITH any(attributes) AS c54,
    any(resource) AS c53
  SELECT multiIf(mapContains(c54, {p9:String}), concat('s', c54[{p9:String}]), mapContains(c53, {p9:String}), concat('s', c53[{p9:String}]), NULL) AS c71,
    any(service) AS c50,
    series AS c42
  FROM metric_series
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND day >= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
  AND day <= toDate(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
  AND (metric = {p6:String})
  GROUP BY c42
  HAVING (if(mapContains(c54, {p9:String}), c54[{p9:String}], c53[{p9:String}]) = {p10:String})
) AS r ON c1 = c42
GROUP BY c68,
  c69
ORDER BY toFloat64OrNull(substring(c68, 2)),
  substring(c68, 2),
  c69
LIMIT 1001
-- p1 = "10000"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000"
-- p5 = "1795100400000"
-- p6 = "requests"
-- p7 = "1795096800000000000"
-- p8 = "1795100400000000000"
-- p9 = "route"
-- p10 = "/a"
