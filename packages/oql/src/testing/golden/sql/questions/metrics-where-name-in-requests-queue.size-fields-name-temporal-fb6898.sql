-- metrics | where name in ("requests", "queue.size") | fields name, temporality, monotonic | sort name, temporality
WITH toString(metric) AS c9,
  temporality AS c11,
  max(monotonic) AS c12,
  kind AS c10
SELECT c9 AS r1,
  toString(c11) AS r2,
  c12 AS r3
FROM metric_series
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND day >= toDate(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND day <= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
GROUP BY c9,
  c10,
  c11
HAVING (c9 IN {p5:Array(String)})
ORDER BY c9,
  c11
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = ["requests","queue.size"]
