-- profiles cpu | where trace_id in (spans | where duration > 50ms | fields trace_id) | stats self=sum(value) by leaf | top 5 by self
WITH c22 AS c20,
  accurateCast(sum(toInt128(c13)), 'Int64') AS c21
SELECT c20 AS r1,
  c21 AS r2
FROM (
  SELECT value AS c13,
    stack_id AS c10
  FROM profile_samples
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND (profile_type = {p5:String} OR startsWith(profile_type, {p6:String}))
  AND (trace_id IN (
    SELECT trace_id AS c19
    FROM spans
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND (duration > {p7:Int64})
  ))
) AS l
INNER JOIN (
  WITH any(frames) AS c3
  SELECT c3[-1] AS c22,
    stack_id AS c2
  FROM profile_stacks
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND day >= toDate(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND day <= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  GROUP BY c2
) AS r ON c10 = c2
GROUP BY c20
ORDER BY c21 DESC,
  c20
LIMIT 5
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "cpu"
-- p6 = "cpu:"
-- p7 = "50000000"
