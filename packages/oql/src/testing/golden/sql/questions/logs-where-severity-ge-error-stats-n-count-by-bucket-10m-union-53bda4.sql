-- logs | where severity >= error | stats n=count() by bucket(10m) | union (logs | stats n=count() by bucket(10m)) | stats n=sum(n) by bucket(20m) | limit 1
WITH toStartOfInterval(c19, toIntervalSecond(1200)) AS c22,
  accurateCast(ifNull(sum(toInt128(c20)), 0), 'Int64') AS c23
SELECT c22 AS r1,
  c23 AS r2
FROM (
  WITH toStartOfInterval(time, toIntervalSecond(600)) AS c14,
    count() AS c15
  SELECT CAST(c14, 'Nullable(DateTime64(9, \'UTC\'))') AS c19,
    CAST(c15, 'Nullable(Int64)') AS c20
  FROM logs
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND (severity >= 17)
  GROUP BY c14
  UNION ALL WITH toStartOfInterval(time, toIntervalSecond(600)) AS c17,
    count() AS c18
  SELECT CAST(c17, 'Nullable(DateTime64(9, \'UTC\'))') AS c19,
    CAST(c18, 'Nullable(Int64)') AS c20
  FROM logs
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  GROUP BY c17
)
GROUP BY c22
ORDER BY c22
LIMIT 1
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
