-- from -30m to -20m; logs | where severity >= error | stats n=count() by service.name | compare 35m
WITH c21 AS c22,
  anyOrNullIf(c23, c20) AS c24,
  anyOrNullIf(c23, (NOT c20)) AS c25
SELECT c22 AS r1,
  c24 AS r2,
  c25 AS r3,
  (c24 / nullIf(c25, 0) - 1) AS r4
FROM (
  WITH service AS c13,
    count() AS c14
  SELECT true AS c20,
    c13 AS c21,
    c14 AS c23
  FROM logs
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND (severity >= 17)
  GROUP BY c13
  UNION ALL WITH service AS c18,
    count() AS c19
  SELECT false AS c20,
    c18 AS c21,
    c19 AS c23
  FROM logs
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  AND (severity >= 17)
  GROUP BY c18
)
GROUP BY c22
ORDER BY c22
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795098600000000000"
-- p4 = "1795099200000000000"
-- p5 = "1795096500000000000"
-- p6 = "1795097100000000000"
