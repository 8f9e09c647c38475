-- metric requests | where service.name == "cart" | rate 5m | sum by bucket(30m)
WITH toStartOfInterval(c409, toIntervalSecond(1800)) AS c460,
  ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(coalesce(c410, c413))], [sumOrNull(coalesce(c410, c413))])[1], 0.) AS c461
SELECT c460 AS r1,
  c461 AS r2
FROM (
  WITH c293 AS c295,
    sumOrNull(c291) AS c296,
    c229 AS c294
  SELECT toDateTime64(c295, 9, 'UTC') AS c409,
    (c296 / 300) AS c410,
    CAST(NULL, 'Nullable(Float64)') AS c413
  FROM (
    WITH arrayCompact(c287) AS c289,
      arrayMap(c -> arraySum(c), arraySplit((x, y) -> y != 0, c286, arrayDifference(c287))) AS c288
    SELECT c291,
      c229,
      c290
    FROM (
      WITH materialize(if(ifNull((
        SELECT max((temporality = {p1:String})) AS c238
        FROM metric_series
        WHERE workspace = {p2:UInt32}
        AND project = {p3:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND (metric = {p6:String})
      ), false), c229 IN (
        SELECT series AS c241
        FROM metric_series
        WHERE workspace = {p2:UInt32}
        AND project = {p3:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND (metric = {p6:String})
        AND (temporality = 'delta')
        GROUP BY c241
      ), false)) AS c285
      SELECT c229,
        arrayMap(t -> if(t < 1795096800000000000, -1, intDiv(t, 300000000000)), c235) AS c287,
        if(c285, c236, arrayMap((i, d, v, s, b) -> if(i = 1, v * (b >= 1795096800000000000), if(d < 0 OR s > 0, v, d)), arrayEnumerate(c236), arrayDifference(c236), c236, arrayDifference(c237), c237)) AS c286
      FROM (
        SELECT c229,
          if(c233, tupleElement(c234, 1), c230) AS c235,
          if(c233, tupleElement(c234, 2), c231) AS c236,
          if(c233, tupleElement(c234, 3), c232) AS c237
        FROM (
          SELECT c229,
            (arrayMin(arrayPopFront(arrayDifference(c230))) <= 0) AS c233,
            if(c233, arrayReverse(arrayCompact(p -> p.1, arrayReverseSort(arrayZip(c230, c231, c232)))), []) AS c234,
            c230,
            c231,
            c232
          FROM (
            SELECT c1 AS c229,
              groupArray(toUnixTimestamp64Nano(c2)) AS c230,
              groupArray(c4) AS c231,
              groupArray(toUnixTimestamp64Nano(c3)) AS c232
            FROM (
              SELECT series AS c1,
                fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') AS c2,
                value AS c4,
                fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') AS c3
              FROM metric_points
              WHERE workspace = {p2:UInt32}
              AND project = {p3:UInt32}
              AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
              AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
              AND (((metric = {p6:String}) AND NOT no_recorded_value) AND (fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC') OR NOT series IN (
                SELECT series AS c105
                FROM metric_points
                WHERE workspace = {p2:UInt32}
                AND project = {p3:UInt32}
                AND time >= fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
                AND time < fromUnixTimestamp64Milli({p10:Int64}, 'UTC')
                AND ((metric = {p6:String}) AND NOT no_recorded_value)
                GROUP BY c105
              )))
              AND (series IN (
                SELECT series AS c52
                FROM metric_series
                WHERE workspace = {p2:UInt32}
                AND project = {p3:UInt32}
                AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
                AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
                AND (metric = {p6:String})
                AND (service = {p11:String})
              ))
              ORDER BY series,
                time,
                nanos
            )
            GROUP BY c229
          )
        )
      )
    )
    ARRAY JOIN c289 AS c290,
      c288 AS c291
    WHERE (c290 >= 0)
  )
  ARRAY JOIN arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(fromUnixTimestamp64Nano(c290 * 300000000000, 'UTC'), 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(fromUnixTimestamp64Nano(c290 * 300000000000, 'UTC'), 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))) AS c293
  GROUP BY c294,
    c295
  UNION ALL WITH c379 AS c402,
    sumOrNull(c381) AS c404,
    c378 AS c401
  SELECT toDateTime64(c402, 9, 'UTC') AS c409,
    CAST(NULL, 'Nullable(Float64)') AS c410,
    (c404 / 300) AS c413
  FROM (
    SELECT c373 AS c379,
      sumOrNullIf(c364, c374) AS c381,
      c1 AS c378
    FROM (
      WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c311,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c360,
        lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c361,
        lagInFrame(c7) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c363,
        (c2 >= fromUnixTimestamp64Nano({p12:Int64}, 'UTC')) AS c365,
        leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c367,
        leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c368,
        leadInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c369,
        (c367 >= c2 AND (c367 >= fromUnixTimestamp64Nano({p12:Int64}, 'UTC'))  AND NOT c359 AND NOT c368 > c3 AND NOT c369 < c6) AS c370
      SELECT if(c359, toFloat64(c7), if((c311 = 0), if((c3 >= fromUnixTimestamp64Nano({p12:Int64}, 'UTC')), toFloat64(c7), toFloat64(c7) * 0), if((c3 > c360) OR (c6 < c361), toFloat64(c7), toFloat64(c7) - c363))) AS c364,
        c1,
        if(c365, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))), []) AS c376,
        if(c370, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c367, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c367, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))), []) AS c377
      FROM (
        SELECT materialize(if(ifNull((
          SELECT max((temporality = {p1:String})) AS c312
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
        ), false), c1 IN (
          SELECT series AS c315
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
          AND (temporality = 'delta')
          GROUP BY c315
        ), false)) AS c359,
          sum AS c7,
          series AS c1,
          fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') AS c2,
          fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') AS c3,
          count AS c6
        FROM metric_histograms
        WHERE workspace = {p2:UInt32}
        AND project = {p3:UInt32}
        AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
        AND (((metric = {p6:String}) AND NOT no_recorded_value) AND (fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC') OR NOT series IN (
          SELECT series AS c128
          FROM metric_histograms
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND time >= fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
          AND time < fromUnixTimestamp64Milli({p10:Int64}, 'UTC')
          AND ((metric = {p6:String}) AND NOT no_recorded_value)
          GROUP BY c128
        )))
        AND (series IN (
          SELECT series AS c52
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
          AND (service = {p11:String})
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
    )
    ARRAY JOIN arrayDistinct(arrayConcat(c376, c377)) AS c373,
      arrayMap(b -> has(c376, b), arrayDistinct(arrayConcat(c376, c377))) AS c374,
      arrayMap(b -> has(c377, b), arrayDistinct(arrayConcat(c376, c377))) AS c375
    WHERE (c374 OR c375)
    GROUP BY c378,
      c379
  )
  GROUP BY c401,
    c402
)
GROUP BY c460
ORDER BY c460
LIMIT 1001
-- p1 = "delta"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096200000000000"
-- p5 = "1795100400000000000"
-- p6 = "requests"
-- p7 = "1795089600000"
-- p8 = "1795100400000"
-- p9 = "1795096200000"
-- p10 = "1795096800000"
-- p11 = "cart"
-- p12 = "1795096800000000000"
