-- metric requests | increase | sum
WITH ifNull(sum(coalesce(c190, c192)), 0.) AS c218
SELECT c218 AS r1
FROM (
  WITH sumOrNull(c68) AS c99,
    c1 AS c97,
    fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c69,
    c69 AS c98
  SELECT c99 AS c190,
    CAST(NULL, 'Nullable(Float64)') AS c192
  FROM (
    WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c65,
      lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c67,
      lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c66
    SELECT if(c96, toFloat64(c4), if((c65 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c4), toFloat64(c4) * 0), if((c3 > c67) OR (c4 < c66), toFloat64(c4), toFloat64(c4) - c66))) AS c68,
      c2,
      c1
    FROM (
      SELECT materialize(if(ifNull((
        SELECT max((temporality = {p2:String})) AS c70
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
      ), false), c1 IN (
        WITH any(temporality) AS c75
        SELECT series AS c73
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
        GROUP BY c73
        HAVING (c75 = 'delta')
      ), false)) AS c96,
        value AS c4,
        series AS c1,
        time AS c2,
        start_time AS c3
      FROM metric_points
      WHERE workspace = {p3:UInt32}
      AND project = {p4:UInt32}
      AND time >= fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
      AND (metric = {p7:String} AND NOT no_recorded_value)
      ORDER BY series,
        time,
        value DESC,
        start_time DESC
      LIMIT 1 BY series,
        time
    )
  )
  WHERE (c2 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))
  GROUP BY c97,
    c98
  UNION ALL WITH sumOrNull(c161) AS c184,
    c158 AS c181,
    c159 AS c182
  SELECT CAST(NULL, 'Nullable(Float64)') AS c190,
    c184 AS c192
  FROM (
    WITH max((c156 OR c157)) AS c162
    SELECT sumOrNullIf(c146, c156) AS c161,
      c1 AS c158,
      c155 AS c159
    FROM (
      WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c114,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c142,
        lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c143,
        lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c145,
        (c2 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')) AS c147,
        leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c149,
        leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c150,
        leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c151,
        (c149 >= c2 AND (c149 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))  AND NOT c141 AND NOT c150 > c3 AND NOT c151 < c5) AS c152
      SELECT if(c141, toFloat64(c6), if((c114 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c6), toFloat64(c6) * 0), if((c3 > c142) OR (c5 < c143), toFloat64(c6), toFloat64(c6) - c145))) AS c146,
        c147 AS c156,
        c1,
        fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c155,
        c152 AS c157
      FROM (
        SELECT materialize(if(ifNull((
          SELECT max((temporality = {p2:String})) AS c115
          FROM metric_series
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND (metric = {p7:String})
        ), false), c1 IN (
          WITH any(temporality) AS c120
          SELECT series AS c118
          FROM metric_series
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND (metric = {p7:String})
          GROUP BY c118
          HAVING (c120 = 'delta')
        ), false)) AS c141,
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
        AND (metric = {p7:String} AND NOT no_recorded_value)
        ORDER BY series,
          time,
          count DESC,
          sum DESC,
          start_time DESC
        LIMIT 1 BY series,
          time
      )
    )
    GROUP BY c158,
      c159
    HAVING c162
  )
  GROUP BY c181,
    c182
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
