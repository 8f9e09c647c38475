-- fields | where scope == "resource" and name == "region" | fields signal, `rows`, distinct_values
WITH toString(if(signal = 'metrics', 'metric', toString(signal))) AS c10,
  sum(rows) AS c13,
  uniqCombinedMerge(12)(values) AS c14,
  toString(scope) AS c11,
  toString(name) AS c12
SELECT c10 AS r1,
  c13 AS r2,
  c14 AS r3
FROM field_usage
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND bucket >= if(signal = 'metrics', toStartOfDay(fromUnixTimestamp64Nano({p3:Int64}, 'UTC')), toStartOfInterval(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'), toIntervalMinute(15)))
AND bucket < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
GROUP BY c10,
  c11,
  c12
HAVING ((c11 = {p5:String}) AND (c12 = {p6:String}))
ORDER BY c10
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "resource"
-- p6 = "region"
