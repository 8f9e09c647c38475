-- spans | where name == "POST /pay" | stats m=max(order.id) by bucket(1m) | extend q = p95(m) over 4 buckets | sort -time | limit 1 | fields q
WITH quantileExactInclusiveOrNull(0.95)(c20) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c17, 9, 'UTC')), 60000000000) RANGE BETWEEN 3 PRECEDING AND CURRENT ROW) AS c21,
  c21 AS c22
SELECT c22 AS r1
FROM (
  SELECT maxOrNull(multiIf(mapContains(int_attributes, {p1:String}), toFloat64(int_attributes[{p1:String}]), mapContains(float_attributes, {p1:String}), float_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), toFloat64OrNull(resource[{p1:String}]), NULL)) AS c20,
    toStartOfInterval(time, toIntervalSecond(60)) AS c17
  FROM spans
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND (name = {p6:String})
  GROUP BY c17
)
ORDER BY c17 DESC
LIMIT 1
-- p1 = "order.id"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
-- p6 = "POST /pay"
