-- metric requests | increase | sum by service.name, bucket(30m)
WITH c274 AS c310,
  toStartOfInterval(c259, toIntervalSecond(1800)) AS c311,
  ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(coalesce(c260, c263))], [sumOrNull(coalesce(c260, c263))])[1], 0.) AS c312
SELECT c310 AS r1,
  c311 AS r2,
  c312 AS r3
FROM (
  SELECT c259,
    c260,
    c263,
    c258
  FROM (
    WITH c1 AS c143,
      toStartOfInterval(c2, toIntervalSecond(1800)) AS c94,
      c94 AS c144,
      sumOrNull(c93) AS c145
    SELECT c143 AS c258,
      toDateTime64(c144, 9, 'UTC') AS c259,
      c145 AS c260,
      CAST(NULL, 'Nullable(Float64)') AS c263
    FROM (
      WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c90,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c92,
        lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c91
      SELECT c1,
        c2,
        if(c142, toFloat64(c4), if((c90 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c4), toFloat64(c4) * 0), if((c3 > c92) OR (c4 < c91), toFloat64(c4), toFloat64(c4) - c91))) AS c93
      FROM (
        SELECT series AS c1,
          time AS c2,
          materialize(if(ifNull((
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
          value AS c4,
          start_time AS c3
        FROM metric_points
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND time >= fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
        AND ((metric = {p7:String}) AND NOT no_recorded_value)
        ORDER BY series,
          time,
          value DESC,
          start_time DESC
        LIMIT 1 BY series,
          time
      )
    )
    WHERE (c2 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))
    GROUP BY c143,
      c144
    UNION ALL WITH c228 AS c251,
      c229 AS c252,
      sumOrNull(c231) AS c254
    SELECT c251 AS c258,
      toDateTime64(c252, 9, 'UTC') AS c259,
      CAST(NULL, 'Nullable(Float64)') AS c260,
      c254 AS c263
    FROM (
      SELECT c1 AS c228,
        c223 AS c229,
        sumOrNullIf(c214, c224) AS c231
      FROM (
        WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c161,
          lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c210,
          lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c211,
          lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c213,
          (c2 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')) AS c215,
          leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c217,
          leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c218,
          leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c219,
          (c217 >= c2 AND (c217 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))  AND NOT c209 AND NOT c218 > c3 AND NOT c219 < c5) AS c220
        SELECT c1,
          if(c209, toFloat64(c6), if((c161 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c6), toFloat64(c6) * 0), if((c3 > c210) OR (c5 < c211), toFloat64(c6), toFloat64(c6) - c213))) AS c214,
          if(c215, [toStartOfInterval(c2, toIntervalSecond(1800))], []) AS c226,
          if(c220, [toStartOfInterval(c217, toIntervalSecond(1800))], []) AS c227
        FROM (
          SELECT series AS c1,
            materialize(if(ifNull((
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
            sum AS c6,
            time AS c2,
            start_time AS c3,
            count AS c5
          FROM metric_histograms
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND time >= fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
          AND time < fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
          AND ((metric = {p7:String}) AND NOT no_recorded_value)
          ORDER BY series,
            time,
            count DESC,
            sum DESC,
            start_time DESC
          LIMIT 1 BY series,
            time
        )
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
) AS l
INNER JOIN (
  SELECT any(service) AS c274,
    series AS c266
  FROM metric_series
  WHERE workspace = {p3:UInt32}
  AND project = {p4:UInt32}
  AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  AND (metric = {p7:String})
  GROUP BY c266
) AS r ON c258 = c266
GROUP BY c310,
  c311
ORDER BY c311,
  c310
LIMIT 1001
-- p1 = "1795096800000000000"
-- p2 = "delta"
-- p3 = 7
-- p4 = 1
-- p5 = "1795096200000000000"
-- p6 = "1795100400000000000"
-- p7 = "requests"
-- p8 = "1795096200000"
-- p9 = "1795100400000"
