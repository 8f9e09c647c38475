-- logs | where severity >= error | stats n=count() by bucket(10m) | union (logs | stats n=count() by bucket(10m)) | stats n=sum(n) by bucket(20m) | limit 1
WITH toStartOfInterval(c18, toIntervalSecond(1200)) AS c21,
  accurateCast(ifNull(sum(toInt128(c19)), 0), 'Int64') AS c22
SELECT c21 AS r1,
  c22 AS r2
FROM (
  WITH toStartOfInterval(time, toIntervalSecond(600)) AS c13,
    count() AS c14
  SELECT CAST(c13, 'Nullable(DateTime64(9, \'UTC\'))') AS c18,
    CAST(c14, 'Nullable(Int64)') AS c19
  FROM logs
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND (severity >= 17)
  GROUP BY c13
  UNION ALL WITH toStartOfInterval(time, toIntervalSecond(600)) AS c16,
    count() AS c17
  SELECT CAST(c16, 'Nullable(DateTime64(9, \'UTC\'))') AS c18,
    CAST(c17, 'Nullable(Int64)') AS c19
  FROM logs
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  GROUP BY c16
)
GROUP BY c21
ORDER BY c21
LIMIT 1
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
