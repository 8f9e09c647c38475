-- metric queue.size | avg by queue
WITH c98 AS c96,
  arrayMap((k, s) -> if(isFinite(k), k, s), [(sumKahanOrNull(coalesce(c4, c7)) / nullIf(sum(if(isNull(c4), ifNull(toFloat64(c6), 0.), 1.)), 0))], [(sumOrNull((coalesce(c4, c7) / 18446744073709551616)) / nullIf(sum(if(isNull(c4), ifNull(toFloat64(c6), 0.), 1.)), 0) * 18446744073709551616)])[1] AS c97
SELECT c96 AS r1,
  c97 AS r2
FROM (
  SELECT c4,
    c7,
    c6,
    c1
  FROM (
    SELECT series AS c1,
      value AS c4,
      CAST(NULL, 'Nullable(UInt64)') AS c6,
      CAST(NULL, 'Nullable(Float64)') AS c7
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
    SELECT series AS c1,
      CAST(NULL, 'Nullable(Float64)') AS c4,
      count AS c6,
      sum AS c7
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
) AS l
INNER JOIN (
  WITH any(attributes) AS c64,
    max(attribute_types) AS c66,
    any(resource) AS c63,
    max(resource_types) AS c65
  SELECT multiIf(mapContains(c64, {p6:String}), concat(if(position(c66, concat('\0', {p6:String}, '\x01')) = 0, 's', substring(c66, position(c66, concat('\0', {p6:String}, '\x01')) + 7, 1)), c64[{p6:String}]), mapContains(c63, {p6:String}), concat(if(position(c65, concat('\0', {p6:String}, '\x01')) = 0, 's', substring(c65, position(c65, concat('\0', {p6:String}, '\x01')) + 7, 1)), c63[{p6:String}]), NULL) AS c98,
    series AS c52
  FROM metric_series
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND day >= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
  AND day <= toDate(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
  AND (metric = {p5:String})
  GROUP BY c52
) AS r ON c1 = c52
GROUP BY c96
ORDER BY toFloat64OrNull(substring(c96, 2)),
  substring(c96, 2)
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000"
-- p4 = "1795100400000"
-- p5 = "queue.size"
-- p6 = "queue"
-- p7 = "1795096800000000000"
-- p8 = "1795100400000000000"
