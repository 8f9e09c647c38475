-- metric queue.size | avg by queue
WITH c92 AS c90,
  arrayMap((k, s) -> if(isFinite(k), k, s), [(sumKahanOrNull(coalesce(c4, c6)) / nullIf(sum(if(isNull(c4), ifNull(toFloat64(c5), 0.), 1.)), 0))], [(sumOrNull((coalesce(c4, c6) / 18446744073709551616)) / nullIf(sum(if(isNull(c4), ifNull(toFloat64(c5), 0.), 1.)), 0) * 18446744073709551616)])[1] AS c91
SELECT c90 AS r1,
  c91 AS r2
FROM (
  SELECT c4,
    c6,
    c5,
    c1
  FROM (
    SELECT series AS c1,
      value AS c4,
      CAST(NULL, 'Nullable(UInt64)') AS c5,
      CAST(NULL, 'Nullable(Float64)') AS c6
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
    SELECT series AS c1,
      CAST(NULL, 'Nullable(Float64)') AS c4,
      count AS c5,
      sum AS c6
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
) AS l
INNER JOIN (
  WITH any(attributes) AS c58,
    max(attribute_types) AS c60,
    any(resource) AS c57,
    max(resource_types) AS c59
  SELECT multiIf(mapContains(c58, {p6:String}), concat(if(position(c60, concat('\0', {p6:String}, '\x01')) = 0, 's', substring(c60, position(c60, concat('\0', {p6:String}, '\x01')) + 7, 1)), c58[{p6:String}]), mapContains(c57, {p6:String}), concat(if(position(c59, concat('\0', {p6:String}, '\x01')) = 0, 's', substring(c59, position(c59, concat('\0', {p6:String}, '\x01')) + 7, 1)), c57[{p6:String}]), NULL) AS c92,
    series AS c46
  FROM metric_series
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND day >= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
  AND day <= toDate(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
  AND (metric = {p5:String})
  GROUP BY c46
) AS r ON c1 = c46
GROUP BY c90
ORDER BY toFloat64OrNull(substring(c90, 2)),
  substring(c90, 2)
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000"
-- p4 = "1795100400000"
-- p5 = "queue.size"
-- p6 = "queue"
-- p7 = "1795096800000000000"
-- p8 = "1795100400000000000"
