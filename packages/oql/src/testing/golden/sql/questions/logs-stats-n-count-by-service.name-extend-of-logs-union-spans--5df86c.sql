-- logs | stats n=count() by service.name | extend of = "logs" | union (spans | stats n=count() by service.name | extend of = "spans") | sort of, -n | fields of, service.name, n
SELECT c25 AS r1,
  c23 AS r2,
  c24 AS r3
FROM (
  WITH service AS c14,
    count() AS c15,
    {p1:String} AS c16
  SELECT CAST(c14, 'Nullable(String)') AS c23,
    CAST(c15, 'Nullable(Int64)') AS c24,
    CAST(c16, 'Nullable(String)') AS c25
  FROM logs
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  GROUP BY c14
  UNION ALL WITH service AS c20,
    toUInt64(round(sum(weight))) AS c21,
    {p6:String} AS c22
  SELECT CAST(c20, 'Nullable(String)') AS c23,
    CAST(c21, 'Nullable(Int64)') AS c24,
    CAST(c22, 'Nullable(String)') AS c25
  FROM spans
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  GROUP BY c20
)
ORDER BY c25,
  c24 DESC
LIMIT 1001
-- p1 = "logs"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
-- p6 = "spans"
