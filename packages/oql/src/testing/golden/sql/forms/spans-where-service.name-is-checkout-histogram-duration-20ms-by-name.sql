-- spans | where service.name == "checkout" | histogram(duration, 20ms) by name
WITH (toInt64(duration) - positiveModulo(toInt64(duration), {p1:Int64})) AS c18,
  name AS c19,
  toUInt64(round(sum(weight))) AS c20
SELECT c18 AS r1,
  c19 AS r2,
  c20 AS r3
FROM spans
WHERE workspace = {p2:UInt32}
AND project = {p3:UInt32}
AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
AND (service = {p6:String})
GROUP BY c18,
  c19
ORDER BY c18,
  c19
LIMIT 1001
-- p1 = "20000000"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
-- p6 = "checkout"
