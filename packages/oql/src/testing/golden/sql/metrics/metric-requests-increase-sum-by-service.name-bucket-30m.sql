-- metric requests | increase | sum by service.name, bucket(30m)
WITH c220 AS c238,
  toStartOfInterval(c205, toIntervalSecond(1800)) AS c239,
  ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(coalesce(c206, c209))], [sumOrNull(coalesce(c206, c209))])[1], 0.) AS c240
SELECT c238 AS r1,
  c239 AS r2,
  c240 AS r3
FROM (
  SELECT c205,
    c206,
    c209,
    c204
  FROM (
    WITH c1 AS c107,
      toStartOfInterval(c2, toIntervalSecond(1800)) AS c76,
      c76 AS c108,
      sumOrNull(c75) AS c109
    SELECT c107 AS c204,
      toDateTime64(c108, 9, 'UTC') AS c205,
      c109 AS c206,
      CAST(NULL, 'Nullable(Float64)') AS c209
    FROM (
      WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c72,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c74,
        lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c73
      SELECT c1,
        c2,
        if(c106, toFloat64(c4), if((c72 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c4), toFloat64(c4) * 0), if((c3 > c74) OR (c4 < c73), toFloat64(c4), toFloat64(c4) - c73))) AS c75
      FROM (
        SELECT series AS c1,
          time AS c2,
          materialize(if(ifNull((
          SELECT max((temporality = {p2:String})) AS c77
          FROM metric_series
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND (metric = {p7:String})
        ), false), c1 IN (
          WITH any(temporality) AS c84
          SELECT series AS c80
          FROM metric_series
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND (metric = {p7:String})
          GROUP BY c80
          HAVING (c84 = 'delta')
        ), false)) AS c106,
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
    GROUP BY c107,
      c108
    UNION ALL WITH c174 AS c197,
      c175 AS c198,
      sumOrNull(c177) AS c200
    SELECT c197 AS c204,
      toDateTime64(c198, 9, 'UTC') AS c205,
      CAST(NULL, 'Nullable(Float64)') AS c206,
      c200 AS c209
    FROM (
      SELECT c1 AS c174,
        c169 AS c175,
        sumOrNullIf(c160, c170) AS c177
      FROM (
        WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c125,
          lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c156,
          lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c157,
          lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c159,
          (c2 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')) AS c161,
          leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c163,
          leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c164,
          leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c165,
          (c163 >= c2 AND (c163 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))  AND NOT c155 AND NOT c164 > c3 AND NOT c165 < c5) AS c166
        SELECT c1,
          if(c155, toFloat64(c6), if((c125 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c6), toFloat64(c6) * 0), if((c3 > c156) OR (c5 < c157), toFloat64(c6), toFloat64(c6) - c159))) AS c160,
          if(c161, [toStartOfInterval(c2, toIntervalSecond(1800))], []) AS c172,
          if(c166, [toStartOfInterval(c163, toIntervalSecond(1800))], []) AS c173
        FROM (
          SELECT series AS c1,
            materialize(if(ifNull((
            SELECT max((temporality = {p2:String})) AS c126
            FROM metric_series
            WHERE workspace = {p3:UInt32}
            AND project = {p4:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND (metric = {p7:String})
          ), false), c1 IN (
            WITH any(temporality) AS c133
            SELECT series AS c129
            FROM metric_series
            WHERE workspace = {p3:UInt32}
            AND project = {p4:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND (metric = {p7:String})
            GROUP BY c129
            HAVING (c133 = 'delta')
          ), false)) AS c155,
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
      ARRAY JOIN arrayDistinct(arrayConcat(c172, c173)) AS c169,
        arrayMap(b -> has(c172, b), arrayDistinct(arrayConcat(c172, c173))) AS c170,
        arrayMap(b -> has(c173, b), arrayDistinct(arrayConcat(c172, c173))) AS c171
      WHERE (c170 OR c171)
      GROUP BY c174,
        c175
    )
    GROUP BY c197,
      c198
  )
) AS l
INNER JOIN (
  SELECT any(service) AS c220,
    series AS c212
  FROM metric_series
  WHERE workspace = {p3:UInt32}
  AND project = {p4:UInt32}
  AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  AND (metric = {p7:String})
  GROUP BY c212
) AS r ON c204 = c212
GROUP BY c238,
  c239
ORDER BY c239,
  c238
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
