-- fields | where scope == "resource" and name == "region" | fields signal, `rows`, distinct_values
WITH toString(if(signal = 'metrics', 'metric', toString(signal))) AS c7,
  sum(rows) AS c11,
  uniqCombinedMerge(12)(values) AS c12,
  toString(scope) AS c8,
  toString(name) AS c9
SELECT c7 AS r1,
  c11 AS r2,
  c12 AS r3
FROM field_usage
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND bucket >= if(signal = 'metrics', toStartOfDay(fromUnixTimestamp64Nano({p3:Int64}, 'UTC')), toStartOfInterval(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'), toIntervalMinute(15)))
AND bucket < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
GROUP BY c7,
  c8,
  c9
HAVING ((c8 = {p5:String}) AND (c9 = {p6:String}))
ORDER BY c7
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "resource"
-- p6 = "region"
