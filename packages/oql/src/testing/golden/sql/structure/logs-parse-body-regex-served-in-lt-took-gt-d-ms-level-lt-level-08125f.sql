-- logs | parse body regex "served in (?<took>\\d+)ms (level=)?(?<level>\\w+)" | stats m=max(int(took)) by level
WITH extractGroups(body, {p1:String}) AS c14,
  if(empty(c14), NULL, c14[3]) AS c16,
  c16 AS c17,
  if(empty(c14), NULL, c14[1]) AS c15,
  maxOrNull(toInt64OrNull(c15)) AS c18
SELECT c17 AS r1,
  c18 AS r2
FROM logs
WHERE workspace = {p2:UInt32}
AND project = {p3:UInt32}
AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
GROUP BY c17
ORDER BY c17
LIMIT 1001
-- p1 = "served in (?P<took>\\d+)ms (level=)?(?P<level>\\w+)"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
