-- from 2026-11-19T14:20:00Z to 2026-11-19T14:22:00Z; spans | where service.name == "frontend" | stats d=max(duration) by bucket(1m) | where d > 10ms for 5m | extend d = int(milliseconds(d))
WITH accurateCastOrNull(trunc((c25 / 1e6)), 'Int64') AS c28
SELECT c23 AS r1,
  c28 AS r2
FROM (
  SELECT c23,
    c25,
    countIf(c26) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c23, 9, 'UTC')), 60000000000) RANGE BETWEEN 4 PRECEDING AND CURRENT ROW) AS c27
  FROM (
    SELECT toStartOfInterval(time, toIntervalSecond(60)) AS c23,
      maxOrNull(duration) AS c25,
      ifNull((c25 > {p2:Int64}), false) AS c26
    FROM spans
    WHERE workspace = {p3:UInt32}
    AND project = {p4:UInt32}
    AND time >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
    AND (service = {p7:String})
    GROUP BY c23
  )
)
WHERE (c27 = 5 AND c23 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))
ORDER BY c23
LIMIT 1001
-- p1 = "1795098000000000000"
-- p2 = "10000000"
-- p3 = 7
-- p4 = 1
-- p5 = "1795097760000000000"
-- p6 = "1795098120000000000"
-- p7 = "frontend"
