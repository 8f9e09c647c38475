-- metric requests | where service.name == "cart" | rate 5m | sum by bucket(30m)
WITH toStartOfInterval(c271, toIntervalSecond(1800)) AS c322,
  ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(coalesce(c272, c275))], [sumOrNull(coalesce(c272, c275))])[1], 0.) AS c323
SELECT c322 AS r1,
  c323 AS r2
FROM (
  WITH c155 AS c157,
    sumOrNull(c153) AS c158,
    c90 AS c156
  SELECT toDateTime64(c157, 9, 'UTC') AS c271,
    (c158 / 300) AS c272,
    CAST(NULL, 'Nullable(Float64)') AS c275
  FROM (
    WITH arrayPushFront(arrayPopFront(c149), c149[1] + if(c146, 0., c97[1] * (c98[1] >= 1795096800000))) AS c151
    SELECT c153,
      c90,
      c152
    FROM (
      SELECT c90,
        arrayCompact(c148) AS c150,
        arrayMap(c -> arraySum(c), arraySplit((x, y) -> y != 0, c147, arrayDifference(c148))) AS c149,
        c146,
        c97,
        c98
      FROM (
        SELECT c90,
          arrayMap(t -> if(t < 1795096800000, -1, intDiv(t, 300000)), c96) AS c148,
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
                AND (series IN (
                  SELECT series AS c46
                  FROM metric_series
                  WHERE workspace = {p2:UInt32}
                  AND project = {p3:UInt32}
                  AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
                  AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
                  AND (metric = {p6:String})
                  AND (service = {p9:String})
                  GROUP BY c46
                ))
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
  )
  ARRAY JOIN arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(fromUnixTimestamp64Nano(c152 * 300000000000, 'UTC'), 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(fromUnixTimestamp64Nano(c152 * 300000000000, 'UTC'), 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))) AS c155
  GROUP BY c156,
    c157
  UNION ALL WITH c241 AS c264,
    sumOrNull(c243) AS c266,
    c240 AS c263
  SELECT toDateTime64(c264, 9, 'UTC') AS c271,
    CAST(NULL, 'Nullable(Float64)') AS c272,
    (c266 / 300) AS c275
  FROM (
    SELECT c235 AS c241,
      sumOrNullIf(c226, c236) AS c243,
      c1 AS c240
    FROM (
      WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c173,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c222,
        lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c223,
        lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c225,
        (c2 >= fromUnixTimestamp64Nano({p10:Int64}, 'UTC')) AS c227,
        leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c229,
        leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c230,
        leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c231,
        (c229 >= c2 AND (c229 >= fromUnixTimestamp64Nano({p10:Int64}, 'UTC'))  AND NOT c221 AND NOT c230 > c3 AND NOT c231 < c5) AS c232
      SELECT if(c221, toFloat64(c6), if((c173 = 0), if((c3 >= fromUnixTimestamp64Nano({p10:Int64}, 'UTC')), toFloat64(c6), toFloat64(c6) * 0), if((c3 > c222) OR (c5 < c223), toFloat64(c6), toFloat64(c6) - c225))) AS c226,
        c1,
        if(c227, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))), []) AS c238,
        if(c232, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c229, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c229, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))), []) AS c239
      FROM (
        SELECT materialize(if(ifNull((
          SELECT max((temporality = {p1:String})) AS c174
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
        ), false), c1 IN (
          SELECT series AS c177
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
          AND (temporality = 'delta')
          GROUP BY c177
        ), false)) AS c221,
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
          GROUP BY c46
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
    ARRAY JOIN arrayDistinct(arrayConcat(c238, c239)) AS c235,
      arrayMap(b -> has(c238, b), arrayDistinct(arrayConcat(c238, c239))) AS c236,
      arrayMap(b -> has(c239, b), arrayDistinct(arrayConcat(c238, c239))) AS c237
    WHERE (c236 OR c237)
    GROUP BY c240,
      c241
  )
  GROUP BY c263,
    c264
)
GROUP BY c322
ORDER BY c322
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
