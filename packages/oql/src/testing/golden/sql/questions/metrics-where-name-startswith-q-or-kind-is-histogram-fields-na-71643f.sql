-- metrics | where name startswith "q" or kind == histogram | fields name, kind, unit, services, series
WITH toString(metric) AS c8,
  kind AS c9,
  toString(any(unit)) AS c11,
  arraySort(groupUniqArray(service)) AS c13,
  uniqExact(series) AS c14,
  temporality AS c10
SELECT c8 AS r1,
  toString(c9) AS r2,
  c11 AS r3,
  c13 AS r4,
  c14 AS r5
FROM metric_series
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND day >= toDate(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND day <= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
GROUP BY c8,
  c9,
  c10
HAVING (startsWith(lower(c8), lower({p5:String})) OR (c9 = 'histogram'))
ORDER BY c8,
  c9
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "q"
