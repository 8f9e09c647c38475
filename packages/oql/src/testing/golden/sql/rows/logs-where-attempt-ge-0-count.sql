-- logs | where attempt >= 0 | count
WITH count() AS c15
SELECT c15 AS r1
FROM logs
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND ifNull((multiIf(mapContains(int_attributes, {p5:String}), toFloat64(int_attributes[{p5:String}]), mapContains(float_attributes, {p5:String}), float_attributes[{p5:String}], (resource[{p5:String}] != '' OR (position(empty_resource, concat('\0', {p5:String}, '\0')) > 0)), toFloat64OrNull(resource[{p5:String}]), NULL) >= {p6:Int64}), false)
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "attempt"
-- p6 = "0"
