-- logs | where severity >= error | stats n=count() by bucket(5m) | fill 0 | where n >= 0 for 10m | count
WITH count() AS c28
SELECT c28 AS r1
FROM (
  WITH ifNull(toInt64(c24), toInt64({p2:Int64})) AS c25,
    (c25 >= {p2:Int64}) AS c26
  SELECT countIf(c26) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c23, 9, 'UTC')), 300000000000) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS c27,
    c23
  FROM (
    SELECT c24,
      c23
    FROM (
      WITH count() AS c22,
        toStartOfInterval(time, toIntervalSecond(300)) AS c21
      SELECT toNullable(c22) AS c24,
        c21 AS c23
      FROM logs
      WHERE workspace = {p5:UInt32}
      AND project = {p6:UInt32}
      AND time >= fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p8:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
      AND (severity >= 17)
      GROUP BY c21
    )
    ORDER BY c23 WITH FILL
    FROM toDateTime({p3:Int64}, 'UTC') TO toDateTime({p4:Int64}, 'UTC') STEP toIntervalSecond(300)
  )
)
WHERE (c27 = 2 AND c23 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))
LIMIT 1001
-- p1 = "1795096800000000000"
-- p2 = "0"
-- p3 = "1795096500"
-- p4 = "1795100400"
-- p5 = 7
-- p6 = 1
-- p7 = "1795096500000000000"
-- p8 = "1795100400000000000"
