-- events | where span.duration > 20ms | stats n=count() by span.name
WITH name AS c18,
  toUInt64(round(sum(weight))) AS c19
SELECT c18 AS r1,
  c19 AS r2
FROM spans
ARRAY JOIN event_time AS c3
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND (duration > {p5:Int64})
GROUP BY c18
ORDER BY c18
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "20000000"
