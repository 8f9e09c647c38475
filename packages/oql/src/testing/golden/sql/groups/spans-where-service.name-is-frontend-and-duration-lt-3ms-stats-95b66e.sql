-- spans | where service.name == "frontend" and duration < 3ms | stats m=max(duration) by bucket(1m) | fill prev | limit 4
WITH last_value(c20) IGNORE NULLS OVER (ORDER BY c19 ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS c21
SELECT c19 AS r1,
  c21 AS r2
FROM (
  SELECT c19,
    c20
  FROM (
    WITH toStartOfInterval(time, toIntervalSecond(60)) AS c17,
      maxOrNull(duration) AS c18
    SELECT c17 AS c19,
      toNullable(c18) AS c20
    FROM spans
    WHERE workspace = {p3:UInt32}
    AND project = {p4:UInt32}
    AND time >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
    AND ((service = {p7:String}) AND (duration < {p8:Int64}))
    GROUP BY c17
  )
  ORDER BY c19 WITH FILL
  FROM toDateTime({p1:Int64}, 'UTC') TO toDateTime({p2:Int64}, 'UTC') STEP toIntervalSecond(60)
)
ORDER BY c19
LIMIT 4
-- p1 = "1795096800"
-- p2 = "1795100400"
-- p3 = 7
-- p4 = 1
-- p5 = "1795096800000000000"
-- p6 = "1795100400000000000"
-- p7 = "frontend"
-- p8 = "3000000"
