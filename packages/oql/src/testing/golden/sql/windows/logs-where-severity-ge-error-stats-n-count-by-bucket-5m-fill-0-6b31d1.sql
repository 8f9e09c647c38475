-- logs | where severity >= error | stats n=count() by bucket(5m) | fill 0 | extend l = lag(n), m = avg(n) over 2 buckets | limit 3
WITH avgOrNull(toInt128(c18)) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c16, 9, 'UTC')), 300000000000) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS c21,
  c21 AS c22
SELECT c16 AS r1,
  c18 AS r2,
  c20 AS r3,
  c22 AS r4
FROM (
  WITH anyOrNull(c18) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c16, 9, 'UTC')), 300000000000) RANGE BETWEEN 1 PRECEDING AND 1 PRECEDING) AS c19
  SELECT c16,
    ifNull(toInt64(c17), toInt64({p1:Int64})) AS c18,
    c19 AS c20
  FROM (
    SELECT c16,
      c17
    FROM (
      WITH toStartOfInterval(time, toIntervalSecond(300)) AS c14,
        count() AS c15
      SELECT c14 AS c16,
        toNullable(c15) AS c17
      FROM logs
      WHERE workspace = {p4:UInt32}
      AND project = {p5:UInt32}
      AND time >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
      AND (severity >= 17)
      GROUP BY c14
    )
    ORDER BY c16 WITH FILL
    FROM toDateTime({p2:Int64}, 'UTC') TO toDateTime({p3:Int64}, 'UTC') STEP toIntervalSecond(300)
  )
)
ORDER BY c16
LIMIT 3
-- p1 = "0"
-- p2 = "1795096800"
-- p3 = "1795100400"
-- p4 = 7
-- p5 = 1
-- p6 = "1795096800000000000"
-- p7 = "1795100400000000000"
