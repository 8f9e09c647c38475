-- logs | where body has "timeout payment" | count
WITH count() AS c14
SELECT c14 AS r1
FROM logs
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND (position(lower(body), {p5:String}) > 0 AND hasAllTokens(lower(body), {p6:Array(String)}) AND hasAll(tokens(lower(body), 'splitByNonAlpha'), {p6:Array(String)}))
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "timeout payment"
-- p6 = ["timeout","payment"]
