-- logs | parse body "request <n:int> served in <ms:float>ms <rest>" | where n == 7 | fields n, ms, rest
WITH extractGroups(body, {p1:String}) AS c13,
  toInt64OrNull(if(empty(c13), NULL, c13[1])) AS c14,
  toFloat64OrNull(if(empty(c13), NULL, c13[2])) AS c15,
  if(empty(c13), NULL, c13[3]) AS c16
SELECT c14 AS r1,
  c15 AS r2,
  c16 AS r3
FROM logs
WHERE workspace = {p2:UInt32}
AND project = {p3:UInt32}
AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
AND ifNull((c14 = {p6:Int64}), false)
ORDER BY toStartOfFiveMinutes(time) DESC,
  time DESC
LIMIT 1001
-- p1 = "(?is)request ([+-]?\\d+) served in ([+-]?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)ms (.*)"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
-- p6 = "7"
