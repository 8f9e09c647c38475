-- metric requests | increase | sum
WITH ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(coalesce(c405, c408))], [sumOrNull(coalesce(c405, c408))])[1], 0.) AS c455
SELECT c455 AS r1
FROM (
  WITH arrayCompact(c287) AS c289,
    arrayMap(c -> arraySum(c), arraySplit((x, y) -> y != 0, c286, arrayDifference(c287))) AS c288
  SELECT c291 AS c405,
    CAST(NULL, 'Nullable(Float64)') AS c408
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
    SELECT arrayMap(t -> if(t < 1795096800000000000, -1, 0), c235) AS c287,
      if(c285, c236, arrayMap((i, d, v, s, b) -> if(i = 1, v * (b >= 1795096800000000000), if(d < 0 OR s > 0, v, d)), arrayEnumerate(c236), arrayDifference(c236), c236, arrayDifference(c237), c237)) AS c286
    FROM (
      SELECT if(c233, tupleElement(c234, 1), c230) AS c235,
        c229,
        if(c233, tupleElement(c234, 2), c231) AS c236,
        if(c233, tupleElement(c234, 3), c232) AS c237
      FROM (
        SELECT (arrayMin(arrayPopFront(arrayDifference(c230))) <= 0) AS c233,
          if(c233, arrayReverse(arrayCompact(p -> p.1, arrayReverseSort(arrayZip(c230, c231, c232)))), []) AS c234,
          c230,
          c229,
          c231,
          c232
        FROM (
          SELECT groupArray(toUnixTimestamp64Nano(c2)) AS c230,
            groupArray(c4) AS c231,
            groupArray(toUnixTimestamp64Nano(c3)) AS c232,
            c1 AS c229
          FROM (
            SELECT fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') AS c2,
              value AS c4,
              fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') AS c3,
              series AS c1
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
  UNION ALL WITH sumOrNull(c376) AS c399,
    c373 AS c396,
    c374 AS c397
  SELECT CAST(NULL, 'Nullable(Float64)') AS c405,
    c399 AS c408
  FROM (
    WITH max((c371 OR c372)) AS c377
    SELECT sumOrNullIf(c361, c371) AS c376,
      c1 AS c373,
      c370 AS c374
    FROM (
      WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c308,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c357,
        lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c358,
        lagInFrame(c7) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c360,
        (c2 >= fromUnixTimestamp64Nano({p11:Int64}, 'UTC')) AS c362,
        leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c364,
        leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c365,
        leadInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c366,
        (c364 >= c2 AND (c364 >= fromUnixTimestamp64Nano({p11:Int64}, 'UTC'))  AND NOT c356 AND NOT c365 > c3 AND NOT c366 < c6) AS c367
      SELECT if(c356, toFloat64(c7), if((c308 = 0), if((c3 >= fromUnixTimestamp64Nano({p11:Int64}, 'UTC')), toFloat64(c7), toFloat64(c7) * 0), if((c3 > c357) OR (c6 < c358), toFloat64(c7), toFloat64(c7) - c360))) AS c361,
        c362 AS c371,
        c1,
        fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c370,
        c367 AS c372
      FROM (
        SELECT materialize(if(ifNull((
          SELECT max((temporality = {p1:String})) AS c309
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
        ), false), c1 IN (
          SELECT series AS c312
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
          AND (temporality = 'delta')
          GROUP BY c312
        ), false)) AS c356,
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
    GROUP BY c373,
      c374
    HAVING c377
  )
  GROUP BY c396,
    c397
)
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
-- p11 = "1795096800000000000"
