-- metric queue.size | stats v=max(value) by bucket(1m) | extend a = anomaly(v, 10m) | where a != 0 | count
WITH count() AS c71
SELECT c71 AS r1
FROM (
  WITH quantileExactInclusiveOrNull(0.5)(abs(toFloat64(c66) - c67)) OVER (PARTITION BY (toUnixTimestamp64Nano(toDateTime64(c65, 9, 'UTC')) % 600000000000)) AS c68,
    avgOrNull(abs(toFloat64(c66) - c67)) OVER (PARTITION BY (toUnixTimestamp64Nano(toDateTime64(c65, 9, 'UTC')) % 600000000000)) AS c69
  SELECT multiIf(c68 > 0, 0.6745 * (toFloat64(c66) - c67) / c68, c69 > 0, (toFloat64(c66) - c67) / (1.253314 * c69), 0 * (toFloat64(c66) - c67)) AS c70
  FROM (
    SELECT c66,
      quantileExactInclusiveOrNull(0.5)(toFloat64(c66)) OVER (PARTITION BY (toUnixTimestamp64Nano(toDateTime64(c65, 9, 'UTC')) % 600000000000)) AS c67,
      c65
    FROM (
      SELECT maxOrNull(c4) AS c66,
        toStartOfInterval(c2, toIntervalSecond(60)) AS c65
      FROM (
        SELECT time AS c2,
          value AS c4
        FROM metric_points
        WHERE workspace = {p2:UInt32}
        AND project = {p3:UInt32}
        AND time >= fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p5:Int64}, 'UTC')
        AND (metric = {p6:String} AND NOT no_recorded_value)
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
        WHERE workspace = {p2:UInt32}
        AND project = {p3:UInt32}
        AND time >= fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p5:Int64}, 'UTC')
        AND (metric = {p6:String} AND NOT no_recorded_value)
        ORDER BY series,
          time,
          count DESC,
          sum DESC,
          start_time DESC
        LIMIT 1 BY series,
          time
      )
      GROUP BY c65
    )
  )
)
WHERE (NOT ifNull((c70 = {p1:Int64}), false))
LIMIT 1001
-- p1 = "0"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000"
-- p5 = "1795100400000"
-- p6 = "queue.size"
