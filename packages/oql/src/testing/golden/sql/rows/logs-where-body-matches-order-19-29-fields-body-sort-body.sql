-- logs | where body =~ "order (19|29)$" | fields body | sort body
SELECT concat(if(body_is_json, 'j', 's'), body) AS r1
FROM logs
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND match(body, {p5:String})
ORDER BY body
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "order (19|29)$"
