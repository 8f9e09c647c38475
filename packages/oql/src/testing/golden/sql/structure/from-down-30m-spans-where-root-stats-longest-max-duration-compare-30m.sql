-- from -30m; spans | where root | stats longest=max(duration) | compare 30m
WITH anyOrNullIf(c24, c23) AS c25,
  anyOrNullIf(c24, (NOT c23)) AS c26
SELECT c25 AS r1,
  c26 AS r2,
  (c25 / nullIf(c26, 0) - 1) AS r3
FROM (
  WITH maxOrNull(duration) AS c17
  SELECT true AS c23,
    c17 AS c24
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND (parent_span_id = toFixedString('', 8))
  UNION ALL WITH maxOrNull(duration) AS c22
  SELECT false AS c23,
    c22 AS c24
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND (parent_span_id = toFixedString('', 8))
)
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795098600000000000"
-- p4 = "1795100400000000000"
-- p5 = "1795096800000000000"
