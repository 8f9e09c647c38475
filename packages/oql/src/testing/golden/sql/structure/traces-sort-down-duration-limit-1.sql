-- traces | sort -duration | limit 1
WITH min(time) AS c5,
  max((time + toIntervalNanosecond(duration))) AS c8,
  min(time) AS c9,
  argMin(service, (parent_span_id != toFixedString('', 8), time)) AS c12,
  argMin(name, (parent_span_id != toFixedString('', 8), time)) AS c14,
  count() AS c15,
  countIf((status = 'error')) AS c17,
  arraySort(groupUniqArray(service)) AS c18,
  trace_id AS c4
SELECT c5 AS r1,
  (toUnixTimestamp64Nano(c8) - toUnixTimestamp64Nano(c9)) AS r2,
  c12 AS r3,
  c14 AS r4,
  c15 AS r5,
  c17 AS r6,
  c18 AS r7,
  lower(hex(c4)) AS r8
FROM spans
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
GROUP BY c4
ORDER BY (toUnixTimestamp64Nano(c8) - toUnixTimestamp64Nano(c9)) DESC
LIMIT 1
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
