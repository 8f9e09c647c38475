-- traces | where any(status == error) and none(name == "nope") | stats n=count()
WITH toUInt64(round(sum(c6))) AS c21
SELECT c21 AS r1
FROM (
  WITH trace_id AS c4,
    maxOrNull((status = 'error')) AS c19,
    (countIf((name = {p5:String})) = 0) AS c20
  SELECT min(weight) AS c6
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  GROUP BY c4
  HAVING (ifNull(c19, false) AND c20)
)
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "nope"
