-- from 2026-11-19T14:10:00Z to 2026-11-19T14:20:00Z; logs | where severity >= error | count
WITH count() AS c14
SELECT c14 AS r1
FROM logs
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND (severity >= 17)
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795097400000000000"
-- p4 = "1795098000000000000"
