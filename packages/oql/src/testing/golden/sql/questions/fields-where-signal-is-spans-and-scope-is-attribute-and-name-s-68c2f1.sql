-- fields | where signal == "spans" and scope == "attribute" and name startswith "order" | fields name, types, `rows`
WITH toString(name) AS c9,
  arraySort(groupUniqArray(type)) AS c10,
  sum(rows) AS c11,
  toString(if(signal = 'metrics', 'metric', toString(signal))) AS c7,
  toString(scope) AS c8
SELECT c9 AS r1,
  c10 AS r2,
  c11 AS r3
FROM field_usage
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND bucket >= if(signal = 'metrics', toStartOfDay(fromUnixTimestamp64Nano({p3:Int64}, 'UTC')), toStartOfInterval(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'), toIntervalMinute(15)))
AND bucket < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
GROUP BY c7,
  c8,
  c9
HAVING ((c7 = {p5:String}) AND (c8 = {p6:String}) AND startsWith(lower(c9), lower({p7:String})))
ORDER BY c9
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "spans"
-- p6 = "attribute"
-- p7 = "order"
