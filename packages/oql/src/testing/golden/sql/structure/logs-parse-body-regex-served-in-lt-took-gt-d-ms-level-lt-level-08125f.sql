-- logs | parse body regex "served in (?<took>\\d+)ms (level=)?(?<level>\\w+)" | stats m=max(int(took)) by level
WITH extractGroups(body, {p1:String}) AS c13,
  if(empty(c13), NULL, c13[3]) AS c15,
  c15 AS c16,
  if(empty(c13), NULL, c13[1]) AS c14,
  maxOrNull(toInt64OrNull(c14)) AS c17
SELECT c16 AS r1,
  c17 AS r2
FROM logs
WHERE workspace = {p2:UInt32}
AND project = {p3:UInt32}
AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
GROUP BY c16
ORDER BY c16
LIMIT 1001
-- p1 = "served in (?P<took>\\d+)ms (level=)?(?P<level>\\w+)"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
