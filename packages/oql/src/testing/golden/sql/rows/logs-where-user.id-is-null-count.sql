-- logs | where user.id == null | count
WITH count() AS c16
SELECT c16 AS r1
FROM logs
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND (NOT ((string_attributes[{p5:String}] != '' OR (position(empty_attributes, concat('\0', {p5:String}, '\0')) > 0)) OR mapContains(int_attributes, {p5:String}) OR mapContains(float_attributes, {p5:String}) OR mapContains(bool_attributes, {p5:String}) OR (json_attributes[{p5:String}] != '') OR (resource[{p5:String}] != '' OR (position(empty_resource, concat('\0', {p5:String}, '\0')) > 0))))
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "user.id"
