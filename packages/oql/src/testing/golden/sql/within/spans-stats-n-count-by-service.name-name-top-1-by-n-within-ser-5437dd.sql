-- spans | stats n=count() by service.name, name | top 1 by n within service.name
WITH service AS c18,
  name AS c19,
  toUInt64(round(sum(weight))) AS c20
SELECT c18 AS r1,
  c19 AS r2,
  c20 AS r3
FROM spans
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
GROUP BY c18,
  c19
ORDER BY c18,
  c20 DESC,
  c18,
  c19
LIMIT 1 BY c18
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
