-- spans | stats n=count() by service.name, name | stats services=count(), most=max(n), names=values(name)
WITH count() AS c21,
  maxOrNull(c20) AS c22,
  arraySort(groupUniqArray(c19)) AS c23
SELECT c21 AS r1,
  c22 AS r2,
  c23 AS r3
FROM (
  WITH service AS c18
  SELECT toUInt64(round(sum(weight))) AS c20,
    name AS c19
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  GROUP BY c18,
    c19
)
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
