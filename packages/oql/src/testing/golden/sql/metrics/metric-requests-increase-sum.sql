-- metric requests | increase | sum
WITH ifNull(sum(coalesce(c200, c203)), 0.) AS c232
SELECT c232 AS r1
FROM (
  WITH sumOrNull(c71) AS c105,
    c1 AS c103,
    fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c72,
    c72 AS c104
  SELECT c105 AS c200,
    CAST(NULL, 'Nullable(Float64)') AS c203
  FROM (
    WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c68,
      lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c70,
      lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c69
    SELECT if(c102, toFloat64(c4), if((c68 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c4), toFloat64(c4) * 0), if((c3 > c70) OR (c4 < c69), toFloat64(c4), toFloat64(c4) - c69))) AS c71,
      c2,
      c1
    FROM (
      SELECT materialize(if(ifNull((
        SELECT max((temporality = {p2:String})) AS c73
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
      ), false), c1 IN (
        WITH any(temporality) AS c80
        SELECT series AS c76
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
        GROUP BY c76
        HAVING (c80 = 'delta')
      ), false)) AS c102,
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
  GROUP BY c103,
    c104
  UNION ALL WITH sumOrNull(c171) AS c194,
    c168 AS c191,
    c169 AS c192
  SELECT CAST(NULL, 'Nullable(Float64)') AS c200,
    c194 AS c203
  FROM (
    WITH max((c166 OR c167)) AS c172
    SELECT sumOrNullIf(c156, c166) AS c171,
      c1 AS c168,
      c165 AS c169
    FROM (
      WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c121,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c152,
        lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c153,
        lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c155,
        (c2 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')) AS c157,
        leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c159,
        leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c160,
        leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c161,
        (c159 >= c2 AND (c159 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))  AND NOT c151 AND NOT c160 > c3 AND NOT c161 < c5) AS c162
      SELECT if(c151, toFloat64(c6), if((c121 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c6), toFloat64(c6) * 0), if((c3 > c152) OR (c5 < c153), toFloat64(c6), toFloat64(c6) - c155))) AS c156,
        c157 AS c166,
        c1,
        fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c165,
        c162 AS c167
      FROM (
        SELECT materialize(if(ifNull((
          SELECT max((temporality = {p2:String})) AS c122
          FROM metric_series
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND (metric = {p7:String})
        ), false), c1 IN (
          WITH any(temporality) AS c129
          SELECT series AS c125
          FROM metric_series
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND (metric = {p7:String})
          GROUP BY c125
          HAVING (c129 = 'delta')
        ), false)) AS c151,
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
    GROUP BY c168,
      c169
    HAVING c172
  )
  GROUP BY c191,
    c192
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
