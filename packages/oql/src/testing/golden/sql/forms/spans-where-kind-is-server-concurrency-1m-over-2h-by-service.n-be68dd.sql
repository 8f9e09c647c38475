-- spans | where kind == server | concurrency 1m over 2h by service.name | stats n=count()
WITH count() AS c31
SELECT c31 AS r1
FROM (
  WITH greatest(intDiv(toUnixTimestamp64Nano(time) + 59999999999, 60000000000), 29918280) AS c24,
    least(intDiv((toUnixTimestamp64Nano(time) + toInt64(duration)) + 59999999999, 60000000000), 29918340) AS c25,
    service AS c22
  SELECT sumMap([c24, c25], [toFloat64(weight), -toFloat64(weight)]) AS c26
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND (kind = 'server')
  AND (c24 < c25)
  GROUP BY c22
)
ARRAY JOIN arrayFlatten(arrayMap((a, b) -> range(a, b), tupleElement(c26, 1), arrayPushBack(arrayPopFront(tupleElement(c26, 1)), 29918340))) AS c27,
  arrayFlatten(arrayMap((a, b, n) -> arrayMap(k -> n, range(a, b)), tupleElement(c26, 1), arrayPushBack(arrayPopFront(tupleElement(c26, 1)), 29918340), arrayCumSum(tupleElement(c26, 2)))) AS c28
WHERE (toInt64(round(c28)) > 0)
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795089600000000000"
-- p4 = "1795100400000000000"
