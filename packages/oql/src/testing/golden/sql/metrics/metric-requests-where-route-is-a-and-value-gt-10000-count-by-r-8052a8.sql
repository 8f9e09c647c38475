-- metric requests | where route == "/a" and value > 10000 | count by route, service.name
WITH c93 AS c90,
  c54 AS c91,
  count() AS c92
SELECT c90 AS r1,
  c91 AS r2,
  c92 AS r3
FROM (
  SELECT c1
  FROM (
    SELECT c22 AS c1
    FROM (
      SELECT series AS c22,
        value AS c24
      FROM metric_points
      WHERE workspace = {p2:UInt32}
      AND project = {p3:UInt32}
      AND time >= fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Milli({p5:Int64}, 'UTC')
      AND ((metric = {p6:String}) AND NOT no_recorded_value)
      AND (series IN (
        SELECT series AS c46
        FROM metric_series
        WHERE workspace = {p2:UInt32}
        AND project = {p3:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
        AND (metric = {p6:String})
        AND (if(mapContains(attributes, {p9:String}), attributes[{p9:String}], resource[{p9:String}]) = {p10:String})
      ))
      ORDER BY series,
        time,
        value DESC,
        start_time DESC
      LIMIT 1 BY series,
        time
    )
    WHERE ifNull((c24 > {p1:Int64}), false)
    UNION ALL
    SELECT c28 AS c1
    FROM (
      SELECT series AS c28
      FROM metric_histograms
      WHERE workspace = {p2:UInt32}
      AND project = {p3:UInt32}
      AND time >= fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Milli({p5:Int64}, 'UTC')
      AND ((metric = {p6:String}) AND NOT no_recorded_value)
      AND (series IN (
        SELECT series AS c46
        FROM metric_series
        WHERE workspace = {p2:UInt32}
        AND project = {p3:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
        AND (metric = {p6:String})
        AND (if(mapContains(attributes, {p9:String}), attributes[{p9:String}], resource[{p9:String}]) = {p10:String})
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
  WITH any(attributes) AS c58,
    max(attribute_types) AS c60,
    any(resource) AS c57,
    max(resource_types) AS c59
  SELECT multiIf(mapContains(c58, {p9:String}), concat(if(position(c60, concat('\0', {p9:String}, '\x01')) = 0, 's', substring(c60, position(c60, concat('\0', {p9:String}, '\x01')) + 7, 1)), c58[{p9:String}]), mapContains(c57, {p9:String}), concat(if(position(c59, concat('\0', {p9:String}, '\x01')) = 0, 's', substring(c59, position(c59, concat('\0', {p9:String}, '\x01')) + 7, 1)), c57[{p9:String}]), NULL) AS c93,
    any(service) AS c54,
    series AS c46
  FROM metric_series
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND day >= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
  AND day <= toDate(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
  AND (metric = {p6:String})
  AND (if(mapContains(attributes, {p9:String}), attributes[{p9:String}], resource[{p9:String}]) = {p10:String})
  GROUP BY c46
) AS r ON c1 = c46
GROUP BY c90,
  c91
ORDER BY toFloat64OrNull(substring(c90, 2)),
  substring(c90, 2),
  c91
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
