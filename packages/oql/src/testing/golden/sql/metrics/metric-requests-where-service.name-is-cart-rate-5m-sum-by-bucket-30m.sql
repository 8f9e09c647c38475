-- metric requests | where service.name == "cart" | rate 5m | sum by bucket(30m)
WITH toStartOfInterval(c201, toIntervalSecond(1800)) AS c234,
  ifNull(sum(coalesce(c202, c205)), 0.) AS c235
SELECT c234 AS r1,
  c235 AS r2
FROM (
  WITH c72 AS c104,
    sumOrNull(c71) AS c105,
    c1 AS c103
  SELECT toDateTime64(c104, 9, 'UTC') AS c201,
    (c105 / 300) AS c202,
    CAST(NULL, 'Nullable(Float64)') AS c205
  FROM (
    SELECT c71,
      c1,
      c2
    FROM (
      WITH materialize(if(ifNull((
        SELECT max((temporality = {p2:String})) AS c73
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
      ), false), c1 IN (
        WITH any(temporality) AS c80
        SELECT series AS c76
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
        GROUP BY c76
        HAVING (c80 = 'delta')
      ), false)) AS c102,
        lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c68,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c70,
        lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c69
      SELECT if(c102, toFloat64(c4), if((c68 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c4), toFloat64(c4) * 0), if((c3 > c70) OR (c4 < c69), toFloat64(c4), toFloat64(c4) - c69))) AS c71,
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
        AND ((metric = {p7:String}) AND NOT no_recorded_value)
        ORDER BY series,
          time,
          value DESC,
          start_time DESC
        LIMIT 1 BY series,
          time
      )
      WHERE (c1 IN (
        WITH any(service) AS c50
        SELECT series AS c42
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
        GROUP BY c42
        HAVING (c50 = {p8:String})
      ))
    )
    WHERE (c2 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))
  )
  ARRAY JOIN arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))) AS c72
  GROUP BY c103,
    c104
  UNION ALL WITH c171 AS c194,
    sumOrNull(c173) AS c196,
    c170 AS c193
  SELECT toDateTime64(c194, 9, 'UTC') AS c201,
    CAST(NULL, 'Nullable(Float64)') AS c202,
    (c196 / 300) AS c205
  FROM (
    SELECT c165 AS c171,
      sumOrNullIf(c156, c166) AS c173,
      c1 AS c170
    FROM (
      WITH materialize(if(ifNull((
        SELECT max((temporality = {p2:String})) AS c122
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
      ), false), c1 IN (
        WITH any(temporality) AS c129
        SELECT series AS c125
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
        GROUP BY c125
        HAVING (c129 = 'delta')
      ), false)) AS c151,
        lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c121,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c152,
        lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c153,
        lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c155,
        (c2 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')) AS c157,
        leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c159,
        leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c160,
        leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c161,
        (c159 >= c2 AND (c159 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))  AND NOT c151 AND NOT c160 > c3 AND NOT c161 < c5) AS c162
      SELECT if(c151, toFloat64(c6), if((c121 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c6), toFloat64(c6) * 0), if((c3 > c152) OR (c5 < c153), toFloat64(c6), toFloat64(c6) - c155))) AS c156,
        c1,
        if(c157, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))), []) AS c168,
        if(c162, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c159, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c159, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))), []) AS c169
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
        AND ((metric = {p7:String}) AND NOT no_recorded_value)
        ORDER BY series,
          time,
          count DESC,
          sum DESC,
          start_time DESC
        LIMIT 1 BY series,
          time
      )
      WHERE (c1 IN (
        WITH any(service) AS c50
        SELECT series AS c42
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
        GROUP BY c42
        HAVING (c50 = {p8:String})
      ))
    )
    ARRAY JOIN arrayDistinct(arrayConcat(c168, c169)) AS c165,
      arrayMap(b -> has(c168, b), arrayDistinct(arrayConcat(c168, c169))) AS c166,
      arrayMap(b -> has(c169, b), arrayDistinct(arrayConcat(c168, c169))) AS c167
    WHERE (c166 OR c167)
    GROUP BY c170,
      c171
  )
  GROUP BY c193,
    c194
)
GROUP BY c234
ORDER BY c234
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
