-- from -20m; profiles cpu | where trace_id == null | flame diff 20m
WITH c31 AS c28,
  sum(c32) AS c29,
  sum(c33) AS c30
SELECT c28 AS r1,
  c29 AS r2,
  c30 AS r3
FROM (
  SELECT c3 AS c31,
    c13 AS c32,
    toInt64(0) AS c33
  FROM (
    SELECT value AS c13,
      stack_id AS c10
    FROM profile_samples
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND (profile_type = {p5:String} OR startsWith(profile_type, {p6:String}))
    AND isNull(if(trace_id = toFixedString('', 16), NULL, lower(hex(trace_id))))
  ) AS l
  INNER JOIN (
    SELECT any(frames) AS c3,
      stack_id AS c2
    FROM profile_stacks
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND day >= toDate(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
    AND day <= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    GROUP BY c2
  ) AS r ON c10 = c2
  UNION ALL
  SELECT c17 AS c31,
    toInt64(0) AS c32,
    c27 AS c33
  FROM (
    SELECT value AS c27,
      stack_id AS c24
    FROM profile_samples
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
    AND (profile_type = {p5:String} OR startsWith(profile_type, {p6:String}))
    AND isNull(if(trace_id = toFixedString('', 16), NULL, lower(hex(trace_id))))
  ) AS l
  INNER JOIN (
    SELECT any(frames) AS c17,
      stack_id AS c16
    FROM profile_stacks
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND day >= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
    AND day <= toDate(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
    GROUP BY c16
  ) AS r ON c24 = c16
)
GROUP BY c28
ORDER BY c29 DESC,
  c28
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795099200000000000"
-- p4 = "1795100400000000000"
-- p5 = "cpu"
-- p6 = "cpu:"
-- p7 = "1795098000000000000"
