-- metric requests | where route == "/a" | increase 10m | sum by bucket(30m)
WITH toStartOfInterval(c259, toIntervalSecond(1800)) AS c310,
  ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(coalesce(c260, c263))], [sumOrNull(coalesce(c260, c263))])[1], 0.) AS c311
SELECT c310 AS r1,
  c311 AS r2
FROM (
  WITH c94 AS c144,
    sumOrNull(c93) AS c145,
    c1 AS c143
  SELECT toDateTime64(c144, 9, 'UTC') AS c259,
    c145 AS c260,
    CAST(NULL, 'Nullable(Float64)') AS c263
  FROM (
    SELECT c93,
      c1,
      c2
    FROM (
      WITH materialize(if(ifNull((
        SELECT max((temporality = {p2:String})) AS c95
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
      ), false), c1 IN (
        WITH any(temporality) AS c102
        SELECT series AS c98
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
        GROUP BY c98
        HAVING (c102 = 'delta')
      ), false)) AS c142,
        lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c90,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c92,
        lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c91
      SELECT if(c142, toFloat64(c4), if((c90 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c4), toFloat64(c4) * 0), if((c3 > c92) OR (c4 < c91), toFloat64(c4), toFloat64(c4) - c91))) AS c93,
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
        AND time >= fromUnixTimestamp64Milli({p10:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p11:Int64}, 'UTC')
        AND ((metric = {p7:String}) AND NOT no_recorded_value)
        ORDER BY series,
          time,
          value DESC,
          start_time DESC
        LIMIT 1 BY series,
          time
      )
      WHERE (c1 IN (
        WITH any(attributes) AS c58,
          any(resource) AS c57
        SELECT series AS c46
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
        GROUP BY c46
        HAVING (if(mapContains(c58, {p8:String}), c58[{p8:String}], c57[{p8:String}]) = {p9:String})
      ))
    )
    WHERE (c2 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))
  )
  ARRAY JOIN arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) + 600000000000, 1800000000000) - 1) + 1))) AS c94
  GROUP BY c143,
    c144
  UNION ALL WITH c229 AS c252,
    sumOrNull(c231) AS c254,
    c228 AS c251
  SELECT toDateTime64(c252, 9, 'UTC') AS c259,
    CAST(NULL, 'Nullable(Float64)') AS c260,
    c254 AS c263
  FROM (
    SELECT c223 AS c229,
      sumOrNullIf(c214, c224) AS c231,
      c1 AS c228
    FROM (
      WITH materialize(if(ifNull((
        SELECT max((temporality = {p2:String})) AS c162
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
      ), false), c1 IN (
        WITH any(temporality) AS c169
        SELECT series AS c165
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
        GROUP BY c165
        HAVING (c169 = 'delta')
      ), false)) AS c209,
        lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c161,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c210,
        lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c211,
        lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c213,
        (c2 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')) AS c215,
        leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c217,
        leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c218,
        leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c219,
        (c217 >= c2 AND (c217 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))  AND NOT c209 AND NOT c218 > c3 AND NOT c219 < c5) AS c220
      SELECT if(c209, toFloat64(c6), if((c161 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c6), toFloat64(c6) * 0), if((c3 > c210) OR (c5 < c211), toFloat64(c6), toFloat64(c6) - c213))) AS c214,
        c1,
        if(c215, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) + 600000000000, 1800000000000) - 1) + 1))), []) AS c226,
        if(c220, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c217, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c217, 9, 'UTC')) + 600000000000, 1800000000000) - 1) + 1))), []) AS c227
      FROM (
        SELECT series AS c1,
          sum AS c6,
          time AS c2,
          start_time AS c3,
          count AS c5
        FROM metric_histograms
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND time >= fromUnixTimestamp64Milli({p10:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p11:Int64}, 'UTC')
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
        WITH any(attributes) AS c58,
          any(resource) AS c57
        SELECT series AS c46
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
        GROUP BY c46
        HAVING (if(mapContains(c58, {p8:String}), c58[{p8:String}], c57[{p8:String}]) = {p9:String})
      ))
    )
    ARRAY JOIN arrayDistinct(arrayConcat(c226, c227)) AS c223,
      arrayMap(b -> has(c226, b), arrayDistinct(arrayConcat(c226, c227))) AS c224,
      arrayMap(b -> has(c227, b), arrayDistinct(arrayConcat(c226, c227))) AS c225
    WHERE (c224 OR c225)
    GROUP BY c228,
      c229
  )
  GROUP BY c251,
    c252
)
GROUP BY c310
ORDER BY c310
LIMIT 1001
-- p1 = "1795096800000000000"
-- p2 = "delta"
-- p3 = 7
-- p4 = 1
-- p5 = "1795096200000000000"
-- p6 = "1795100400000000000"
-- p7 = "requests"
-- p8 = "route"
-- p9 = "/a"
-- p10 = "1795096200000"
-- p11 = "1795100400000"
