-- metric requests | where route == "/a" | rate | sum
WITH ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(coalesce(c267, c270))], [sumOrNull(coalesce(c267, c270))])[1], 0.) AS c317
SELECT c317 AS r1
FROM (
  WITH arrayPushFront(arrayPopFront(c149), c149[1] + if(c146, 0., c97[1] * (c98[1] >= 1795096800000))) AS c151
  SELECT (c153 / 3600) AS c267,
    CAST(NULL, 'Nullable(Float64)') AS c270
  FROM (
    SELECT arrayCompact(c148) AS c150,
      arrayMap(c -> arraySum(c), arraySplit((x, y) -> y != 0, c147, arrayDifference(c148))) AS c149,
      c146,
      c97,
      c98
    FROM (
      SELECT arrayMap(t -> if(t < 1795096800000, -1, 0), c96) AS c148,
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
        SELECT if(c94, tupleElement(c95, 1), c91) AS c96,
          c90,
          if(c94, tupleElement(c95, 2), c92) AS c97,
          if(c94, tupleElement(c95, 3), c93) AS c98
        FROM (
          SELECT (arrayMin(arrayPopFront(arrayDifference(c91))) <= 0) AS c94,
            if(c94, arrayReverse(arrayCompact(p -> p.1, arrayReverseSort(arrayZip(c91, c92, c93)))), []) AS c95,
            c91,
            c90,
            c92,
            c93
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
              AND (series IN (
                SELECT series AS c46
                FROM metric_series
                WHERE workspace = {p2:UInt32}
                AND project = {p3:UInt32}
                AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
                AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
                AND (metric = {p6:String})
                AND (if(mapContains(attributes, {p9:String}), attributes[{p9:String}], resource[{p9:String}]) = {p10:String})
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
  UNION ALL WITH sumOrNull(c238) AS c261,
    c235 AS c258,
    c236 AS c259
  SELECT CAST(NULL, 'Nullable(Float64)') AS c267,
    (c261 / 3600) AS c270
  FROM (
    WITH max((c233 OR c234)) AS c239
    SELECT sumOrNullIf(c223, c233) AS c238,
      c1 AS c235,
      c232 AS c236
    FROM (
      WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c170,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c219,
        lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c220,
        lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c222,
        (c2 >= fromUnixTimestamp64Nano({p11:Int64}, 'UTC')) AS c224,
        leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c226,
        leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c227,
        leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c228,
        (c226 >= c2 AND (c226 >= fromUnixTimestamp64Nano({p11:Int64}, 'UTC'))  AND NOT c218 AND NOT c227 > c3 AND NOT c228 < c5) AS c229
      SELECT if(c218, toFloat64(c6), if((c170 = 0), if((c3 >= fromUnixTimestamp64Nano({p11:Int64}, 'UTC')), toFloat64(c6), toFloat64(c6) * 0), if((c3 > c219) OR (c5 < c220), toFloat64(c6), toFloat64(c6) - c222))) AS c223,
        c224 AS c233,
        c1,
        fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c232,
        c229 AS c234
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
        AND (series IN (
          SELECT series AS c46
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
          AND (if(mapContains(attributes, {p9:String}), attributes[{p9:String}], resource[{p9:String}]) = {p10:String})
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
    GROUP BY c235,
      c236
    HAVING c239
  )
  GROUP BY c258,
    c259
)
LIMIT 1001
-- p1 = "delta"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096200000000000"
-- p5 = "1795100400000000000"
-- p6 = "requests"
-- p7 = "1795096200000"
-- p8 = "1795100400000"
-- p9 = "route"
-- p10 = "/a"
-- p11 = "1795096800000000000"
