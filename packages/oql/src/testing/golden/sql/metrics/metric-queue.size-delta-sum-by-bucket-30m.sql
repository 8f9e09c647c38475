-- metric queue.size | delta | sum by bucket(30m)
WITH toStartOfInterval(c268, toIntervalSecond(1800)) AS c319,
  ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(coalesce(c269, c272))], [sumOrNull(coalesce(c269, c272))])[1], 0.) AS c320
SELECT c319 AS r1,
  c320 AS r2
FROM (
  WITH fromUnixTimestamp64Nano(c152 * 1800000000000, 'UTC') AS c155,
    arrayPushFront(arrayPopFront(c149), c149[1] + if(c146, 0., 0.)) AS c151
  SELECT toDateTime64(c155, 9, 'UTC') AS c268,
    c153 AS c269,
    CAST(NULL, 'Nullable(Float64)') AS c272
  FROM (
    SELECT arrayCompact(c148) AS c150,
      arrayMap(c -> arraySum(c), arraySplit((x, y) -> y != 0, c147, arrayDifference(c148))) AS c149,
      c146
    FROM (
      SELECT arrayMap(t -> if(t < 1795096800000, -1, intDiv(t, 1800000)), c96) AS c148,
        if(c146, c97, arrayDifference(c97)) AS c147,
        materialize(if(ifNull((
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
      FROM (
        SELECT if(c94, tupleElement(c95, 1), c91) AS c96,
          c90,
          if(c94, tupleElement(c95, 2), c92) AS c97
        FROM (
          SELECT (arrayMin(arrayPopFront(arrayDifference(c91))) <= 0) AS c94,
            if(c94, arrayReverse(arrayCompact(p -> p.1, arrayReverseSort(arrayZip(c91, c92, c93)))), []) AS c95,
            c91,
            c90,
            c92
          FROM (
            SELECT groupArray(toUnixTimestamp64Milli(c2)) AS c91,
              groupArray(c4) AS c92,
              groupArray(toUnixTimestamp64Milli(c3)) AS c93,
              c1 AS c90
            FROM (
              SELECT time AS c2,
                value AS c4,
                start_time AS c3,
                series AS c1
              FROM metric_points
              WHERE workspace = {p2:UInt32}
              AND project = {p3:UInt32}
              AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
              AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
              AND ((metric = {p6:String}) AND NOT no_recorded_value)
              ORDER BY series,
                time
            )
            GROUP BY c90
          )
        )
      )
    )
  )
  ARRAY JOIN c150 AS c152,
    c151 AS c153
  WHERE (c152 >= 0)
  UNION ALL WITH c238 AS c261,
    sumOrNull(c240) AS c263,
    c237 AS c260
  SELECT toDateTime64(c261, 9, 'UTC') AS c268,
    CAST(NULL, 'Nullable(Float64)') AS c269,
    c263 AS c272
  FROM (
    SELECT c232 AS c238,
      sumOrNullIf(c223, c233) AS c240,
      c1 AS c237
    FROM (
      WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c170,
        lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c222,
        (c2 >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC')) AS c224,
        leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c226,
        leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c227,
        leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c228,
        (c226 >= c2 AND (c226 >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC'))  AND NOT c218 AND NOT c227 > c3 AND NOT c228 < c5) AS c229
      SELECT if(c218, toFloat64(c6), if((c170 = 0), 0., toFloat64(c6) - c222)) AS c223,
        c1,
        if(c224, [toStartOfInterval(c2, toIntervalSecond(1800))], []) AS c235,
        if(c229, [toStartOfInterval(c226, toIntervalSecond(1800))], []) AS c236
      FROM (
        SELECT materialize(if(ifNull((
          SELECT max((temporality = {p1:String})) AS c171
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
        ), false), c1 IN (
          SELECT series AS c174
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
          AND (temporality = 'delta')
          GROUP BY c174
        ), false)) AS c218,
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
        ORDER BY series,
          time,
          count DESC,
          sum DESC,
          start_time DESC
        LIMIT 1 BY series,
          time
      )
    )
    ARRAY JOIN arrayDistinct(arrayConcat(c235, c236)) AS c232,
      arrayMap(b -> has(c235, b), arrayDistinct(arrayConcat(c235, c236))) AS c233,
      arrayMap(b -> has(c236, b), arrayDistinct(arrayConcat(c235, c236))) AS c234
    WHERE (c233 OR c234)
    GROUP BY c237,
      c238
  )
  GROUP BY c260,
    c261
)
GROUP BY c319
ORDER BY c319
LIMIT 1001
-- p1 = "delta"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096200000000000"
-- p5 = "1795100400000000000"
-- p6 = "queue.size"
-- p7 = "1795096200000"
-- p8 = "1795100400000"
-- p9 = "1795096800000000000"
