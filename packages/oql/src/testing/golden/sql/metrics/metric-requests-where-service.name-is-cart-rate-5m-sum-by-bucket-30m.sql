-- metric requests | where service.name == "cart" | rate 5m | sum by bucket(30m)
WITH toStartOfInterval(c191, toIntervalSecond(1800)) AS c220,
  ifNull(sum(coalesce(c192, c194)), 0.) AS c221
SELECT c220 AS r1,
  c221 AS r2
FROM (
  WITH c69 AS c98,
    sumOrNull(c68) AS c99,
    c1 AS c97
  SELECT toDateTime64(c98, 9, 'UTC') AS c191,
    (c99 / 300) AS c192,
    CAST(NULL, 'Nullable(Float64)') AS c194
  FROM (
    SELECT c68,
      c1,
      c2
    FROM (
      WITH materialize(if(ifNull((
        SELECT max((temporality = {p2:String})) AS c70
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
      ), false), c1 IN (
        WITH any(temporality) AS c75
        SELECT series AS c73
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
        GROUP BY c73
        HAVING (c75 = 'delta')
      ), false)) AS c96,
        lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c65,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c67,
        lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c66
      SELECT if(c96, toFloat64(c4), if((c65 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c4), toFloat64(c4) * 0), if((c3 > c67) OR (c4 < c66), toFloat64(c4), toFloat64(c4) - c66))) AS c68,
        c1,
        c2
      FROM (
        SELECT series AS c1,
          value AS c4,
          time AS c2,
          start_time AS c3
        FROM metric_points
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND time >= fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p10:Int64}, 'UTC')
        AND (metric = {p7:String} AND NOT no_recorded_value)
        ORDER BY series,
          time,
          value DESC,
          start_time DESC
        LIMIT 1 BY series,
          time
      )
      WHERE (c1 IN (
        WITH any(service) AS c48
        SELECT series AS c42
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
        GROUP BY c42
        HAVING (c48 = {p8:String})
      ))
    )
    WHERE (c2 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))
  )
  ARRAY JOIN arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))) AS c69
  GROUP BY c97,
    c98
  UNION ALL WITH c161 AS c184,
    sumOrNull(c163) AS c186,
    c160 AS c183
  SELECT toDateTime64(c184, 9, 'UTC') AS c191,
    CAST(NULL, 'Nullable(Float64)') AS c192,
    (c186 / 300) AS c194
  FROM (
    SELECT c155 AS c161,
      sumOrNullIf(c146, c156) AS c163,
      c1 AS c160
    FROM (
      WITH materialize(if(ifNull((
        SELECT max((temporality = {p2:String})) AS c115
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
      ), false), c1 IN (
        WITH any(temporality) AS c120
        SELECT series AS c118
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
        GROUP BY c118
        HAVING (c120 = 'delta')
      ), false)) AS c141,
        lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c114,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c142,
        lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c143,
        lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c145,
        (c2 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')) AS c147,
        leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c149,
        leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c150,
        leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c151,
        (c149 >= c2 AND (c149 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))  AND NOT c141 AND NOT c150 > c3 AND NOT c151 < c5) AS c152
      SELECT if(c141, toFloat64(c6), if((c114 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c6), toFloat64(c6) * 0), if((c3 > c142) OR (c5 < c143), toFloat64(c6), toFloat64(c6) - c145))) AS c146,
        c1,
        if(c147, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))), []) AS c158,
        if(c152, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c149, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c149, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))), []) AS c159
      FROM (
        SELECT series AS c1,
          sum AS c6,
          time AS c2,
          start_time AS c3,
          count AS c5
        FROM metric_histograms
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND time >= fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p10:Int64}, 'UTC')
        AND (metric = {p7:String} AND NOT no_recorded_value)
        ORDER BY series,
          time,
          count DESC,
          sum DESC,
          start_time DESC
        LIMIT 1 BY series,
          time
      )
      WHERE (c1 IN (
        WITH any(service) AS c48
        SELECT series AS c42
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
        GROUP BY c42
        HAVING (c48 = {p8:String})
      ))
    )
    ARRAY JOIN arrayDistinct(arrayConcat(c158, c159)) AS c155,
      arrayMap(b -> has(c158, b), arrayDistinct(arrayConcat(c158, c159))) AS c156,
      arrayMap(b -> has(c159, b), arrayDistinct(arrayConcat(c158, c159))) AS c157
    WHERE (c156 OR c157)
    GROUP BY c160,
      c161
  )
  GROUP BY c183,
    c184
)
GROUP BY c220
ORDER BY c220
LIMIT 1001
-- p1 = "1795096800000000000"
-- p2 = "delta"
-- p3 = 7
-- p4 = 1
-- p5 = "1795096200000000000"
-- p6 = "1795100400000000000"
-- p7 = "requests"
-- p8 = "cart"
-- p9 = "1795096200000"
-- p10 = "1795100400000"
