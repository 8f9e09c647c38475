-- spans | stats n=count() by service.name, name | stats services=count(), most=max(n), names=values(name)
WITH count() AS c20,
  maxOrNull(c19) AS c21,
  arraySort(groupUniqArray(c18)) AS c22
SELECT c20 AS r1,
  c21 AS r2,
  c22 AS r3
FROM (
  WITH service AS c17
  SELECT toUInt64(round(sum(weight))) AS c19,
    name AS c18
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  GROUP BY c17,
    c18
)
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
