-- spans | where http.method == "POST" | count
WITH toUInt64(round(sum(weight))) AS c18
SELECT c18 AS r1
FROM spans
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND (string_attributes[{p5:String}] = {p6:String} OR (string_attributes[{p7:String}] = {p6:String} AND string_attributes[{p5:String}] = '') OR (resource[{p5:String}] = {p6:String} AND string_attributes[{p5:String}] = '' AND string_attributes[{p7:String}] = '') OR (resource[{p7:String}] = {p6:String} AND string_attributes[{p5:String}] = '' AND string_attributes[{p7:String}] = '' AND resource[{p5:String}] = ''))
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "http.request.method"
-- p6 = "POST"
-- p7 = "http.method"
