-- traces | where max(duration) > 50ms and p50(duration) > 1ms | count by name
WITH c14 AS c21,
  toUInt64(round(sum(c6))) AS c22
SELECT c21 AS r1,
  c22 AS r2
FROM (
  WITH trace_id AS c4,
    maxOrNull(duration) AS c19,
    toInt64(round(quantileExactInclusiveOrNull(0.5)(duration))) AS c20
  SELECT argMin(name, (parent_span_id != toFixedString('', 8), time)) AS c14,
    min(weight) AS c6
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  GROUP BY c4
  HAVING (ifNull((c19 > {p5:Int64}), false) AND ifNull((c20 > {p6:Int64}), false))
)
GROUP BY c21
ORDER BY c21
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "50000000"
-- p6 = "1000000"
