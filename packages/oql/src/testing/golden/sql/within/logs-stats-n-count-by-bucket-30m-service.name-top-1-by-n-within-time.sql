-- logs | stats n=count() by bucket(30m), service.name | top 1 by n within time
WITH toStartOfInterval(time, toIntervalSecond(1800)) AS c14,
  service AS c15,
  count() AS c16
SELECT c14 AS r1,
  c15 AS r2,
  c16 AS r3
FROM logs
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
GROUP BY c14,
  c15
ORDER BY c14,
  c16 DESC,
  c14,
  c15
LIMIT 1 BY c14
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
