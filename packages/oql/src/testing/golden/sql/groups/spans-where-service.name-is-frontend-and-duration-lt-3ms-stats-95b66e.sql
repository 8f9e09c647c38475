-- spans | where service.name == "frontend" and duration < 3ms | stats m=max(duration) by bucket(1m) | fill prev | limit 4
WITH last_value(c21) IGNORE NULLS OVER (ORDER BY c20 ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS c22
SELECT c20 AS r1,
  c22 AS r2
FROM (
  SELECT c20,
    c21
  FROM (
    WITH toStartOfInterval(time, toIntervalSecond(60)) AS c18,
      maxOrNull(duration) AS c19
    SELECT c18 AS c20,
      toNullable(c19) AS c21
    FROM spans
    WHERE workspace = {p3:UInt32}
    AND project = {p4:UInt32}
    AND time >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
    AND ((service = {p7:String}) AND (duration < {p8:Int64}))
    GROUP BY c18
  )
  ORDER BY c20 WITH FILL
  FROM toDateTime({p1:Int64}, 'UTC') TO toDateTime({p2:Int64}, 'UTC') STEP toIntervalSecond(60)
)
ORDER BY c20
LIMIT 4
-- p1 = "1795096800"
-- p2 = "1795100400"
-- p3 = 7
-- p4 = 1
-- p5 = "1795096800000000000"
-- p6 = "1795100400000000000"
-- p7 = "frontend"
-- p8 = "3000000"
