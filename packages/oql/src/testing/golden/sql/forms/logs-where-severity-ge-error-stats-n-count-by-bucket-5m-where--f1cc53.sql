-- logs | where severity >= error | stats n=count() by bucket(5m) | where n >= 0 for 10m | count
WITH count() AS c22
SELECT c22 AS r1
FROM (
  SELECT countIf(c20) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c18, 9, 'UTC')), 300000000000) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS c21,
    c18
  FROM (
    WITH count() AS c19
    SELECT (c19 >= {p2:Int64}) AS c20,
      toStartOfInterval(time, toIntervalSecond(300)) AS c18
    FROM logs
    WHERE workspace = {p3:UInt32}
    AND project = {p4:UInt32}
    AND time >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
    AND (severity >= 17)
    GROUP BY c18
  )
)
WHERE (c21 = 2 AND c18 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))
LIMIT 1001
-- p1 = "1795096800000000000"
-- p2 = "0"
-- p3 = 7
-- p4 = 1
-- p5 = "1795096500000000000"
-- p6 = "1795100400000000000"
