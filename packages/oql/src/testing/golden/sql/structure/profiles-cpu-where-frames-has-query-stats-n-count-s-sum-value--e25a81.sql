-- profiles cpu | where frames has "query" | stats n=count(), s=sum(value), d=max(depth) by root
WITH c19 AS c15,
  count() AS c16,
  accurateCast(sum(toInt128(c13)), 'Int64') AS c17,
  maxOrNull(length(c3)) AS c18
SELECT c15 AS r1,
  c16 AS r2,
  c17 AS r3,
  c18 AS r4
FROM (
  SELECT value AS c13,
    stack_id AS c10
  FROM profile_samples
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND (profile_type = {p5:String} OR startsWith(profile_type, {p6:String}))
  AND (stack_id IN (
    WITH any(frames) AS c3
    SELECT stack_id AS c2
    FROM profile_stacks
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND day >= toDate(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
    AND day <= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    GROUP BY c2
    HAVING has(arrayMap(x -> toString(x), c3), toString({p7:String}))
  ))
) AS l
INNER JOIN (
  SELECT c3[1] AS c19,
    any(frames) AS c3,
    stack_id AS c2
  FROM profile_stacks
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND day >= toDate(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND day <= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  GROUP BY c2
  HAVING has(arrayMap(x -> toString(x), c3), toString({p7:String}))
) AS r ON c10 = c2
GROUP BY c15
ORDER BY c15
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "cpu"
-- p6 = "cpu:"
-- p7 = "query"
