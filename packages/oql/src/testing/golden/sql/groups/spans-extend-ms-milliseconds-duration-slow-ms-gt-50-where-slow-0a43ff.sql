-- spans | extend ms = milliseconds(duration), slow = ms > 50 | where slow | stats n=count(), m=max(ms)
WITH toUInt64(round(sum(weight))) AS c19,
  (duration / 1e6) AS c17,
  maxOrNull(c17) AS c20,
  (c17 > {p5:Int64}) AS c18
SELECT c19 AS r1,
  c20 AS r2
FROM spans
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND c18
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "50"
