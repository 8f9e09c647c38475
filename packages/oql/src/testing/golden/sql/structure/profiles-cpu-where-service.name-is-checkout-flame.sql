-- profiles cpu | where service.name == "checkout" | flame
WITH c3 AS c18,
  c18 AS c15,
  c13 AS c19,
  sum(c19) AS c16
SELECT c15 AS r1,
  c16 AS r2
FROM (
  SELECT value AS c13,
    stack_id AS c10
  FROM profile_samples
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND (profile_type = {p5:String} OR startsWith(profile_type, {p6:String}))
  AND (service = {p7:String})
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
GROUP BY c15
ORDER BY c16 DESC,
  c15
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "cpu"
-- p6 = "cpu:"
-- p7 = "checkout"
