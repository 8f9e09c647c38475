-- exemplars latency | join spans on trace_id as s | where s.name == "POST /pay" | stats n=count(), v=sum(value)
WITH count() AS c61,
  ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(c48)], [sumOrNull(c48)])[1], 0.) AS c62
SELECT c61 AS r1,
  c62 AS r2
FROM (
  SELECT value AS c48,
    trace_id AS c50
  FROM exemplars
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
  AND (metric = {p5:String})
) AS l
INNER JOIN (
  SELECT trace_id AS c57
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
  AND (trace_id IN (
    SELECT trace_id AS c58
    FROM exemplars
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
    AND (metric = {p5:String})
  ))
  AND (name = {p8:String})
) AS r ON c50 = c57
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000"
-- p4 = "1795100400000"
-- p5 = "latency"
-- p6 = "1795096800000000000"
-- p7 = "1795100400000000000"
-- p8 = "POST /pay"
