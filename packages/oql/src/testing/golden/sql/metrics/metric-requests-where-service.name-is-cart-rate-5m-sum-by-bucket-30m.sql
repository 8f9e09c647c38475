-- metric requests | where service.name == "cart" | rate 5m | sum by bucket(30m)
WITH toStartOfInterval(c270, toIntervalSecond(1800)) AS c321,
  ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(coalesce(c271, c274))], [sumOrNull(coalesce(c271, c274))])[1], 0.) AS c322
SELECT c321 AS r1,
  c322 AS r2
FROM (
  WITH c154 AS c156,
    sumOrNull(c152) AS c157,
    c90 AS c155
  SELECT toDateTime64(c156, 9, 'UTC') AS c270,
    (c157 / 300) AS c271,
    CAST(NULL, 'Nullable(Float64)') AS c274
  FROM (
    WITH arrayCompact(c148) AS c150,
      arrayMap(c -> arraySum(c), arraySplit((x, y) -> y != 0, c147, arrayDifference(c148))) AS c149
    SELECT c152,
      c90,
      c151
    FROM (
      WITH materialize(if(ifNull((
        SELECT max((temporality = {p1:String})) AS c99
        FROM metric_series
        WHERE workspace = {p2:UInt32}
        AND project = {p3:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND (metric = {p6:String})
      ), false), c90 IN (
        SELECT series AS c102
        FROM metric_series
        WHERE workspace = {p2:UInt32}
        AND project = {p3:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND (metric = {p6:String})
        AND (temporality = 'delta')
        GROUP BY c102
      ), false)) AS c146
      SELECT c90,
        arrayMap(t -> if(t < 1795096800000, -1, intDiv(t, 300000)), c96) AS c148,
        if(c146, c97, arrayMap((i, d, v, s, b) -> if(i = 1, v * (b >= 1795096800000), if(d < 0 OR s > 0, v, d)), arrayEnumerate(c97), arrayDifference(c97), c97, arrayDifference(c98), c98)) AS c147
      FROM (
        SELECT c90,
          if(c94, tupleElement(c95, 1), c91) AS c96,
          if(c94, tupleElement(c95, 2), c92) AS c97,
          if(c94, tupleElement(c95, 3), c93) AS c98
        FROM (
          SELECT c90,
            (arrayMin(arrayPopFront(arrayDifference(c91))) <= 0) AS c94,
            if(c94, arrayReverse(arrayCompact(p -> p.1, arrayReverseSort(arrayZip(c91, c92, c93)))), []) AS c95,
            c91,
            c92,
            c93
          FROM (
            SELECT c1 AS c90,
              groupArray(toUnixTimestamp64Milli(c2)) AS c91,
              groupArray(c4) AS c92,
              groupArray(toUnixTimestamp64Milli(c3)) AS c93
            FROM (
              SELECT series AS c1,
                time AS c2,
                value AS c4,
                start_time AS c3
              FROM metric_points
              WHERE workspace = {p2:UInt32}
              AND project = {p3:UInt32}
              AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
              AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
              AND ((metric = {p6:String}) AND NOT no_recorded_value)
              AND (series IN (
                SELECT series AS c46
                FROM metric_series
                WHERE workspace = {p2:UInt32}
                AND project = {p3:UInt32}
                AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
                AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
                AND (metric = {p6:String})
                AND (service = {p9:String})
              ))
              ORDER BY series,
                time
            )
            GROUP BY c90
          )
        )
      )
    )
    ARRAY JOIN c150 AS c151,
      c149 AS c152
    WHERE (c151 >= 0)
  )
  ARRAY JOIN arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(fromUnixTimestamp64Nano(c151 * 300000000000, 'UTC'), 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(fromUnixTimestamp64Nano(c151 * 300000000000, 'UTC'), 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))) AS c154
  GROUP BY c155,
    c156
  UNION ALL WITH c240 AS c263,
    sumOrNull(c242) AS c265,
    c239 AS c262
  SELECT toDateTime64(c263, 9, 'UTC') AS c270,
    CAST(NULL, 'Nullable(Float64)') AS c271,
    (c265 / 300) AS c274
  FROM (
    SELECT c234 AS c240,
      sumOrNullIf(c225, c235) AS c242,
      c1 AS c239
    FROM (
      WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c172,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c221,
        lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c222,
        lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c224,
        (c2 >= fromUnixTimestamp64Nano({p10:Int64}, 'UTC')) AS c226,
        leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c228,
        leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c229,
        leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c230,
        (c228 >= c2 AND (c228 >= fromUnixTimestamp64Nano({p10:Int64}, 'UTC'))  AND NOT c220 AND NOT c229 > c3 AND NOT c230 < c5) AS c231
      SELECT if(c220, toFloat64(c6), if((c172 = 0), if((c3 >= fromUnixTimestamp64Nano({p10:Int64}, 'UTC')), toFloat64(c6), toFloat64(c6) * 0), if((c3 > c221) OR (c5 < c222), toFloat64(c6), toFloat64(c6) - c224))) AS c225,
        c1,
        if(c226, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))), []) AS c237,
        if(c231, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c228, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c228, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))), []) AS c238
      FROM (
        SELECT materialize(if(ifNull((
          SELECT max((temporality = {p1:String})) AS c173
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
        ), false), c1 IN (
          SELECT series AS c176
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
          AND (temporality = 'delta')
          GROUP BY c176
        ), false)) AS c220,
          sum AS c6,
          series AS c1,
          time AS c2,
          start_time AS c3,
          count AS c5
        FROM metric_histograms
        WHERE workspace = {p2:UInt32}
        AND project = {p3:UInt32}
        AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
        AND ((metric = {p6:String}) AND NOT no_recorded_value)
        AND (series IN (
          SELECT series AS c46
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
          AND (service = {p9:String})
        ))
        ORDER BY series,
          time,
          count DESC,
          sum DESC,
          start_time DESC
        LIMIT 1 BY series,
          time
      )
    )
    ARRAY JOIN arrayDistinct(arrayConcat(c237, c238)) AS c234,
      arrayMap(b -> has(c237, b), arrayDistinct(arrayConcat(c237, c238))) AS c235,
      arrayMap(b -> has(c238, b), arrayDistinct(arrayConcat(c237, c238))) AS c236
    WHERE (c235 OR c236)
    GROUP BY c239,
      c240
  )
  GROUP BY c262,
    c263
)
GROUP BY c321
ORDER BY c321
LIMIT 1001
-- p1 = "delta"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096200000000000"
-- p5 = "1795100400000000000"
-- p6 = "requests"
-- p7 = "1795096200000"
-- p8 = "1795100400000"
-- p9 = "cart"
-- p10 = "1795096800000000000"
