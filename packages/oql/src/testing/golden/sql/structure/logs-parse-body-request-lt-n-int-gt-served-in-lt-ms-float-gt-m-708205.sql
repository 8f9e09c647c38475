-- logs | parse body "request <n:int> served in <ms:float>ms <rest>" | where n == 7 | fields n, ms, rest
WITH extractGroups(body, {p1:String}) AS c14,
  toInt64OrNull(if(empty(c14), NULL, c14[1])) AS c15,
  toFloat64OrNull(if(empty(c14), NULL, c14[2])) AS c16,
  if(empty(c14), NULL, c14[3]) AS c17
SELECT c15 AS r1,
  c16 AS r2,
  c17 AS r3
FROM logs
WHERE workspace = {p2:UInt32}
AND project = {p3:UInt32}
AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
AND ifNull((c15 = {p6:Int64}), false)
ORDER BY toStartOfFiveMinutes(time) DESC,
  time DESC
LIMIT 1001
-- p1 = "(?is)request ([+-]?\\d+) served in ([+-]?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)ms (.*)"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
-- p6 = "7"
