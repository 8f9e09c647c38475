-- from -30m to -20m; logs | where severity >= error | stats n=count() by service.name | compare 35m
WITH c22 AS c23,
  anyOrNullIf(c24, c21) AS c25,
  anyOrNullIf(c24, (NOT c21)) AS c26
SELECT c23 AS r1,
  c25 AS r2,
  c26 AS r3,
  (c25 / nullIf(c26, 0) - 1) AS r4
FROM (
  WITH service AS c14,
    count() AS c15
  SELECT true AS c21,
    c14 AS c22,
    c15 AS c24
  FROM logs
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND (severity >= 17)
  GROUP BY c14
  UNION ALL WITH service AS c19,
    count() AS c20
  SELECT false AS c21,
    c19 AS c22,
    c20 AS c24
  FROM logs
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  AND (severity >= 17)
  GROUP BY c19
)
GROUP BY c23
ORDER BY c23
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795098600000000000"
-- p4 = "1795099200000000000"
-- p5 = "1795096500000000000"
-- p6 = "1795097100000000000"
