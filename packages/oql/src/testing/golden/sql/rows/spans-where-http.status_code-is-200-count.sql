-- spans | where http.status_code == 200 | count
WITH toUInt64(round(sum(weight))) AS c19
SELECT c19 AS r1
FROM spans
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND ((multiIf(mapContains(int_attributes, {p5:String}), int_attributes[{p5:String}], mapContains(int_attributes, {p6:String}), int_attributes[{p6:String}], (resource[{p5:String}] != '' OR (position(empty_resource, concat('\0', {p5:String}, '\0')) > 0)), ifNull(toInt64OrNull(resource[{p5:String}]), 0), (resource[{p6:String}] != '' OR (position(empty_resource, concat('\0', {p6:String}, '\0')) > 0)), ifNull(toInt64OrNull(resource[{p6:String}]), 0), 0) = {p7:Int64}) OR (multiIf(mapContains(float_attributes, {p5:String}), float_attributes[{p5:String}], mapContains(float_attributes, {p6:String}), float_attributes[{p6:String}], (resource[{p5:String}] != '' OR (position(empty_resource, concat('\0', {p5:String}, '\0')) > 0)), ifNull(toFloat64OrNull(resource[{p5:String}]), 0.), (resource[{p6:String}] != '' OR (position(empty_resource, concat('\0', {p6:String}, '\0')) > 0)), ifNull(toFloat64OrNull(resource[{p6:String}]), 0.), 0.) = {p7:Int64}))
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "http.response.status_code"
-- p6 = "http.status_code"
-- p7 = "200"
