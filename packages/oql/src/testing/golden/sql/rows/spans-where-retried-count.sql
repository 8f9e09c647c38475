-- spans | where retried | count
WITH toUInt64(round(sum(weight))) AS c19
SELECT c19 AS r1
FROM spans
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND ifNull(multiIf(mapContains(bool_attributes, {p5:String}), bool_attributes[{p5:String}], (resource[{p5:String}] != '' OR (position(empty_resource, concat('\0', {p5:String}, '\0')) > 0)), multiIf(resource[{p5:String}] = 'true', true, resource[{p5:String}] = 'false', false, NULL), NULL), false)
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "retried"
