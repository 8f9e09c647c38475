-- logs | stats n=count() by bucket(1d, "Europe/Berlin")
WITH toDateTime(toStartOfDay(toDateTime(toDate(intDiv(toInt32(toDate(time, {p1:String})) - 0, 1) * 1 + 0), {p1:String}), {p1:String}), 'UTC') AS c14,
  count() AS c15
SELECT c14 AS r1,
  c15 AS r2
FROM logs
WHERE workspace = {p2:UInt32}
AND project = {p3:UInt32}
AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
GROUP BY c14
ORDER BY c14
LIMIT 1001
-- p1 = "Europe/Berlin"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
