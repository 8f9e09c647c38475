-- profiles heap | count
WITH count() AS c15
SELECT c15 AS r1
FROM profile_samples
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND (profile_type = {p5:String} OR startsWith(profile_type, {p6:String}))
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "heap"
-- p6 = "heap:"
