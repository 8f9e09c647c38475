-- logs | where severity >= error | stats n=count() by bucket(5m) | fill 0 | extend l = lag(n), m = avg(n) over 2 buckets | limit 3
WITH avgOrNull(toInt128(c17)) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c15, 9, 'UTC')), 300000000000) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS c20,
  c20 AS c21
SELECT c15 AS r1,
  c17 AS r2,
  c19 AS r3,
  c21 AS r4
FROM (
  WITH anyOrNull(c17) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c15, 9, 'UTC')), 300000000000) RANGE BETWEEN 1 PRECEDING AND 1 PRECEDING) AS c18
  SELECT c15,
    ifNull(toInt64(c16), toInt64({p1:Int64})) AS c17,
    c18 AS c19
  FROM (
    SELECT c15,
      c16
    FROM (
      WITH toStartOfInterval(time, toIntervalSecond(300)) AS c13,
        count() AS c14
      SELECT c13 AS c15,
        toNullable(c14) AS c16
      FROM logs
      WHERE workspace = {p4:UInt32}
      AND project = {p5:UInt32}
      AND time >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
      AND (severity >= 17)
      GROUP BY c13
    )
    ORDER BY c15 WITH FILL
    FROM toDateTime({p2:Int64}, 'UTC') TO toDateTime({p3:Int64}, 'UTC') STEP toIntervalSecond(300)
  )
)
ORDER BY c15
LIMIT 3
-- p1 = "0"
-- p2 = "1795096800"
-- p3 = "1795100400"
-- p4 = 7
-- p5 = 1
-- p6 = "1795096800000000000"
-- p7 = "1795100400000000000"
