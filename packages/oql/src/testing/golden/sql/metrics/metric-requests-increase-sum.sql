-- metric requests | increase | sum
WITH ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(coalesce(c258, c261))], [sumOrNull(coalesce(c258, c261))])[1], 0.) AS c308
SELECT c308 AS r1
FROM (
  WITH sumOrNull(c93) AS c145,
    c1 AS c143,
    fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c94,
    c94 AS c144
  SELECT c145 AS c258,
    CAST(NULL, 'Nullable(Float64)') AS c261
  FROM (
    WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c90,
      lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c92,
      lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c91
    SELECT if(c142, toFloat64(c4), if((c90 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c4), toFloat64(c4) * 0), if((c3 > c92) OR (c4 < c91), toFloat64(c4), toFloat64(c4) - c91))) AS c93,
      c2,
      c1
    FROM (
      SELECT materialize(if(ifNull((
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
        series AS c1,
        time AS c2,
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
  UNION ALL WITH sumOrNull(c229) AS c252,
    c226 AS c249,
    c227 AS c250
  SELECT CAST(NULL, 'Nullable(Float64)') AS c258,
    c252 AS c261
  FROM (
    WITH max((c224 OR c225)) AS c230
    SELECT sumOrNullIf(c214, c224) AS c229,
      c1 AS c226,
      c223 AS c227
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
      SELECT if(c209, toFloat64(c6), if((c161 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c6), toFloat64(c6) * 0), if((c3 > c210) OR (c5 < c211), toFloat64(c6), toFloat64(c6) - c213))) AS c214,
        c215 AS c224,
        c1,
        fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c223,
        c220 AS c225
      FROM (
        SELECT materialize(if(ifNull((
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
          series AS c1,
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
    GROUP BY c226,
      c227
    HAVING c230
  )
  GROUP BY c249,
    c250
)
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
