-- metric requests | where route == "/a" | rate | sum
WITH ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(coalesce(c266, c269))], [sumOrNull(coalesce(c266, c269))])[1], 0.) AS c316
SELECT c316 AS r1
FROM (
  WITH arrayCompact(c148) AS c150,
    arrayMap(c -> arraySum(c), arraySplit((x, y) -> y != 0, c147, arrayDifference(c148))) AS c149
  SELECT (c152 / 3600) AS c266,
    CAST(NULL, 'Nullable(Float64)') AS c269
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
    SELECT arrayMap(t -> if(t < 1795096800000, -1, 0), c96) AS c148,
      if(c146, c97, arrayMap((i, d, v, s, b) -> if(i = 1, v * (b >= 1795096800000), if(d < 0 OR s > 0, v, d)), arrayEnumerate(c97), arrayDifference(c97), c97, arrayDifference(c98), c98)) AS c147
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
  UNION ALL WITH sumOrNull(c237) AS c260,
    c234 AS c257,
    c235 AS c258
  SELECT CAST(NULL, 'Nullable(Float64)') AS c266,
    (c260 / 3600) AS c269
  FROM (
    WITH max((c232 OR c233)) AS c238
    SELECT sumOrNullIf(c222, c232) AS c237,
      c1 AS c234,
      c231 AS c235
    FROM (
      WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c169,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c218,
        lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c219,
        lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c221,
        (c2 >= fromUnixTimestamp64Nano({p11:Int64}, 'UTC')) AS c223,
        leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c225,
        leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c226,
        leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c227,
        (c225 >= c2 AND (c225 >= fromUnixTimestamp64Nano({p11:Int64}, 'UTC'))  AND NOT c217 AND NOT c226 > c3 AND NOT c227 < c5) AS c228
      SELECT if(c217, toFloat64(c6), if((c169 = 0), if((c3 >= fromUnixTimestamp64Nano({p11:Int64}, 'UTC')), toFloat64(c6), toFloat64(c6) * 0), if((c3 > c218) OR (c5 < c219), toFloat64(c6), toFloat64(c6) - c221))) AS c222,
        c223 AS c232,
        c1,
        fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c231,
        c228 AS c233
      FROM (
        SELECT materialize(if(ifNull((
          SELECT max((temporality = {p1:String})) AS c170
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
        ), false), c1 IN (
          SELECT series AS c173
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
          AND (temporality = 'delta')
          GROUP BY c173
        ), false)) AS c217,
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
    GROUP BY c234,
      c235
    HAVING c238
  )
  GROUP BY c257,
    c258
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
