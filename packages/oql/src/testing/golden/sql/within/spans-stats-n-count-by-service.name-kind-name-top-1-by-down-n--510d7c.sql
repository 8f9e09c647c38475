-- spans | stats n=count() by service.name, kind, name | top 1 by -n within service.name, kind
WITH service AS c18,
  kind AS c19,
  name AS c20,
  toUInt64(round(sum(weight))) AS c21
SELECT c18 AS r1,
  toString(c19) AS r2,
  c20 AS r3,
  c21 AS r4
FROM spans
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
GROUP BY c18,
  c19,
  c20
ORDER BY c18,
  c19,
  c21,
  c18,
  c19,
  c20
LIMIT 1 BY c18,
  c19
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
