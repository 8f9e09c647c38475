-- from -30m; spans | where root | stats longest=max(duration) | compare 30m
WITH anyOrNullIf(c25, c24) AS c26,
  anyOrNullIf(c25, (NOT c24)) AS c27
SELECT c26 AS r1,
  c27 AS r2,
  (c26 / nullIf(c27, 0) - 1) AS r3
FROM (
  WITH maxOrNull(duration) AS c18
  SELECT true AS c24,
    c18 AS c25
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND (parent_span_id = toFixedString('', 8))
  UNION ALL WITH maxOrNull(duration) AS c23
  SELECT false AS c24,
    c23 AS c25
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
