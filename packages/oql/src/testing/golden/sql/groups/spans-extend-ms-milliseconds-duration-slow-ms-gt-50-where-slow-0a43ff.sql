-- spans | extend ms = milliseconds(duration), slow = ms > 50 | where slow | stats n=count(), m=max(ms)
WITH toUInt64(round(sum(weight))) AS c20,
  (duration / 1e6) AS c18,
  maxOrNull(c18) AS c21,
  (c18 > {p5:Int64}) AS c19
SELECT c20 AS r1,
  c21 AS r2
FROM spans
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND c19
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "50"
