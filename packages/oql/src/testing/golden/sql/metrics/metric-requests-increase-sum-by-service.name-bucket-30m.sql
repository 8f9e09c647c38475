-- metric requests | increase | sum by service.name, bucket(30m)
WITH c283 AS c319,
  toStartOfInterval(c268, toIntervalSecond(1800)) AS c320,
  ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(coalesce(c269, c272))], [sumOrNull(coalesce(c269, c272))])[1], 0.) AS c321
SELECT c319 AS r1,
  c320 AS r2,
  c321 AS r3
FROM (
  SELECT c268,
    c269,
    c272,
    c267
  FROM (
    WITH fromUnixTimestamp64Nano(c152 * 1800000000000, 'UTC') AS c155,
      arrayPushFront(arrayPopFront(c149), c149[1] + if(c146, 0., c97[1] * (c98[1] >= 1795096800000))) AS c151
    SELECT c90 AS c267,
      toDateTime64(c155, 9, 'UTC') AS c268,
      c153 AS c269,
      CAST(NULL, 'Nullable(Float64)') AS c272
    FROM (
      SELECT c90,
        arrayCompact(c148) AS c150,
        arrayMap(c -> arraySum(c), arraySplit((x, y) -> y != 0, c147, arrayDifference(c148))) AS c149,
        c146,
        c97,
        c98
      FROM (
        SELECT c90,
          arrayMap(t -> if(t < 1795096800000, -1, intDiv(t, 1800000)), c96) AS c148,
          if(c146, c97, arrayMap((d, v, s) -> if(d < 0 OR s > 0, v, d), arrayDifference(c97), c97, arrayDifference(c98))) AS c147,
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
        ), false)) AS c146,
          c97,
          c98
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
    UNION ALL WITH c237 AS c260,
      c238 AS c261,
      sumOrNull(c240) AS c263
    SELECT c260 AS c267,
      toDateTime64(c261, 9, 'UTC') AS c268,
      CAST(NULL, 'Nullable(Float64)') AS c269,
      c263 AS c272
    FROM (
      SELECT c1 AS c237,
        c232 AS c238,
        sumOrNullIf(c223, c233) AS c240
      FROM (
        WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c170,
          lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c219,
          lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c220,
          lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c222,
          (c2 >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC')) AS c224,
          leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c226,
          leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c227,
          leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c228,
          (c226 >= c2 AND (c226 >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC'))  AND NOT c218 AND NOT c227 > c3 AND NOT c228 < c5) AS c229
        SELECT c1,
          if(c218, toFloat64(c6), if((c170 = 0), if((c3 >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC')), toFloat64(c6), toFloat64(c6) * 0), if((c3 > c219) OR (c5 < c220), toFloat64(c6), toFloat64(c6) - c222))) AS c223,
          if(c224, [toStartOfInterval(c2, toIntervalSecond(1800))], []) AS c235,
          if(c229, [toStartOfInterval(c226, toIntervalSecond(1800))], []) AS c236
        FROM (
          SELECT series AS c1,
            materialize(if(ifNull((
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
) AS l
INNER JOIN (
  SELECT any(service) AS c283,
    series AS c275
  FROM metric_series
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND (metric = {p6:String})
  GROUP BY c275
) AS r ON c267 = c275
GROUP BY c319,
  c320
ORDER BY c320,
  c319
LIMIT 1001
-- p1 = "delta"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096200000000000"
-- p5 = "1795100400000000000"
-- p6 = "requests"
-- p7 = "1795096200000"
-- p8 = "1795100400000"
-- p9 = "1795096800000000000"
