-- spans | where service.name == "frontend" | extend class = case(duration < 20ms, "fast", duration < 40ms, "fair", "slow") | count by class
WITH multiIf((duration < {p1:Int64}), {p2:String}, (duration < {p3:Int64}), {p4:String}, {p5:String}) AS c18,
  c18 AS c19,
  toUInt64(round(sum(weight))) AS c20
SELECT c19 AS r1,
  c20 AS r2
FROM spans
WHERE workspace = {p6:UInt32}
AND project = {p7:UInt32}
AND time >= fromUnixTimestamp64Nano({p8:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p9:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p9:Int64}, 'UTC'))
AND (service = {p10:String})
GROUP BY c19
ORDER BY c19
LIMIT 1001
-- p1 = "20000000"
-- p2 = "fast"
-- p3 = "40000000"
-- p4 = "fair"
-- p5 = "slow"
-- p6 = 7
-- p7 = 1
-- p8 = "1795096800000000000"
-- p9 = "1795100400000000000"
-- p10 = "frontend"
