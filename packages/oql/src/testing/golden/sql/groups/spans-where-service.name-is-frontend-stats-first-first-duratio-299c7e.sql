-- spans | where service.name == "frontend" | stats first=first(duration), last=last(duration), mean=avg(duration), slowest=argmax(trace_id, duration)
WITH argMinOrNull(duration, time) AS c18,
  argMaxOrNull(duration, time) AS c19,
  toInt64(round(avgWeightedOrNull(duration, weight))) AS c20,
  argMaxOrNull(lower(hex(trace_id)), duration) AS c21
SELECT c18 AS r1,
  c19 AS r2,
  c20 AS r3,
  c21 AS r4
FROM spans
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND (service = {p5:String})
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "frontend"
