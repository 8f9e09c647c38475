-- logs | where service.name == "frontend" and int(regex_extract(body, "in ([0-9]+)ms")) > (metric queue.size | stats max(value)) | count
WITH count() AS c79
SELECT c79 AS r1
FROM logs
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND ((service = {p5:String}) AND ifNull((toInt64OrNull(if(match(body, {p6:String}), extract(body, {p6:String}), NULL)) > (
  WITH maxOrNull(c16) AS c77
  SELECT c77 AS c78
  FROM (
    SELECT value AS c16
    FROM metric_points
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
    AND (metric = {p9:String} AND NOT no_recorded_value)
    ORDER BY series,
      time,
      value DESC,
      start_time DESC
    LIMIT 1 BY series,
      time
    UNION ALL
    SELECT CAST(NULL, 'Nullable(Float64)') AS c16
    FROM metric_histograms
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
    AND (metric = {p9:String} AND NOT no_recorded_value)
    ORDER BY series,
      time,
      count DESC,
      sum DESC,
      start_time DESC
    LIMIT 1 BY series,
      time
  )
)), false))
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "frontend"
-- p6 = "in ([0-9]+)ms"
-- p7 = "1795096800000"
-- p8 = "1795100400000"
-- p9 = "queue.size"
