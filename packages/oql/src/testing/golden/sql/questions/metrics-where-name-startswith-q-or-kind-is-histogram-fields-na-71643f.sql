-- metrics | where name startswith "q" or kind == histogram | fields name, kind, unit, services, series
WITH toString(metric) AS c9,
  kind AS c10,
  toString(any(unit)) AS c13,
  arraySort(groupUniqArray(service)) AS c15,
  uniqExact(series) AS c16,
  temporality AS c11
SELECT c9 AS r1,
  toString(c10) AS r2,
  c13 AS r3,
  c15 AS r4,
  c16 AS r5
FROM metric_series
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND day >= toDate(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND day <= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
GROUP BY c9,
  c10,
  c11
HAVING (startsWith(lower(c9), lower({p5:String})) OR (c10 = 'histogram'))
ORDER BY c9,
  c10
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "q"
