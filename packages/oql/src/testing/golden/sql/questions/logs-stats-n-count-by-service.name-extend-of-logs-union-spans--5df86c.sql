-- logs | stats n=count() by service.name | extend of = "logs" | union (spans | stats n=count() by service.name | extend of = "spans") | sort of, -n | fields of, service.name, n
SELECT c24 AS r1,
  c22 AS r2,
  c23 AS r3
FROM (
  WITH service AS c13,
    count() AS c14,
    {p1:String} AS c15
  SELECT CAST(c13, 'Nullable(String)') AS c22,
    CAST(c14, 'Nullable(Int64)') AS c23,
    CAST(c15, 'Nullable(String)') AS c24
  FROM logs
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  GROUP BY c13
  UNION ALL WITH service AS c19,
    toUInt64(round(sum(weight))) AS c20,
    {p6:String} AS c21
  SELECT CAST(c19, 'Nullable(String)') AS c22,
    CAST(c20, 'Nullable(Int64)') AS c23,
    CAST(c21, 'Nullable(String)') AS c24
  FROM spans
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  GROUP BY c19
)
ORDER BY c24,
  c23 DESC
LIMIT 1001
-- p1 = "logs"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
-- p6 = "spans"
