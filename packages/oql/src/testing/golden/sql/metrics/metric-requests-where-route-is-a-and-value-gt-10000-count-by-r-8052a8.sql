-- metric requests | where route == "/a" and value > 10000 | count by route, service.name
WITH c99 AS c96,
  c60 AS c97,
  count() AS c98
SELECT c96 AS r1,
  c97 AS r2,
  c98 AS r3
FROM (
  SELECT c1
  FROM (
    SELECT c23 AS c1
    FROM (
      SELECT series AS c23,
        value AS c26
      FROM metric_points
      WHERE workspace = {p2:UInt32}
      AND project = {p3:UInt32}
      AND time >= fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Milli({p5:Int64}, 'UTC')
      AND ((metric = {p6:String}) AND NOT no_recorded_value)
      AND (series IN (
        SELECT series AS c52
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
        nanos,
        value DESC,
        fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') DESC
      LIMIT 1 BY series,
        time,
        nanos
    )
    WHERE ifNull((c26 > {p1:Int64}), false)
    UNION ALL
    SELECT c31 AS c1
    FROM (
      SELECT series AS c31
      FROM metric_histograms
      WHERE workspace = {p2:UInt32}
      AND project = {p3:UInt32}
      AND time >= fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Milli({p5:Int64}, 'UTC')
      AND ((metric = {p6:String}) AND NOT no_recorded_value)
      AND (series IN (
        SELECT series AS c52
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
        nanos,
        count DESC,
        sum DESC,
        fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') DESC
      LIMIT 1 BY series,
        time,
        nanos
    )
    WHERE ifNull((CAST(NULL, 'Nullable(Float64)') > {p1:Int64}), false)
  )
) AS l
INNER JOIN (
  WITH any(attributes) AS c64,
    max(attribute_types) AS c66,
    any(resource) AS c63,
    max(resource_types) AS c65
  SELECT multiIf(mapContains(c64, {p9:String}), concat(if(position(c66, concat('\0', {p9:String}, '\x01')) = 0, 's', substring(c66, position(c66, concat('\0', {p9:String}, '\x01')) + 7, 1)), c64[{p9:String}]), mapContains(c63, {p9:String}), concat(if(position(c65, concat('\0', {p9:String}, '\x01')) = 0, 's', substring(c65, position(c65, concat('\0', {p9:String}, '\x01')) + 7, 1)), c63[{p9:String}]), NULL) AS c99,
    any(service) AS c60,
    series AS c52
  FROM metric_series
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND day >= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
  AND day <= toDate(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
  AND (metric = {p6:String})
  AND (if(mapContains(attributes, {p9:String}), attributes[{p9:String}], resource[{p9:String}]) = {p10:String})
  GROUP BY c52
) AS r ON c1 = c52
GROUP BY c96,
  c97
ORDER BY toFloat64OrNull(substring(c96, 2)),
  substring(c96, 2),
  c97
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
