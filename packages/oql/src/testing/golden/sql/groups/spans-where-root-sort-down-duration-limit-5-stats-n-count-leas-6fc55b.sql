-- (spans | where root | sort -duration | limit 5) | stats n=count(), least=min(duration)
WITH toUInt64(round(sum(c2))) AS c18,
  minOrNull(c4) AS c19
SELECT c18 AS r1,
  c19 AS r2
FROM (
  SELECT weight AS c2,
    duration AS c4
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND (parent_span_id = toFixedString('', 8))
  ORDER BY duration DESC
  LIMIT 5
)
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
