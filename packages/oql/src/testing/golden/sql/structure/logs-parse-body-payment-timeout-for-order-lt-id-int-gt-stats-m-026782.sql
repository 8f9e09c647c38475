-- logs | parse body "payment timeout for order <id:int>" | stats m=max(id), n=count(id)
WITH extractGroups(body, {p1:String}) AS c14,
  toInt64OrNull(if(empty(c14), NULL, c14[1])) AS c15,
  maxOrNull(c15) AS c16,
  countIf((NOT isNull(c15))) AS c17
SELECT c16 AS r1,
  c17 AS r2
FROM logs
WHERE workspace = {p2:UInt32}
AND project = {p3:UInt32}
AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
LIMIT 1001
-- p1 = "(?is)payment timeout for order ([+-]?\\d+)"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
