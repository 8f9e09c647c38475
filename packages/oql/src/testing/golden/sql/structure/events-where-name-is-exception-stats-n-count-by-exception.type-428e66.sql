-- events | where name == "exception" | stats n=count() by exception.type, service.name
WITH multiIf(mapContains(c7, {p1:String}), concat(if(position(c9, concat('\0', {p1:String}, '\x01')) = 0, 's', substring(c9, position(c9, concat('\0', {p1:String}, '\x01')) + 16, 1)), c7[{p1:String}]), (JSONExtractRaw(c7[{p2:String}], {p3:String}) NOT IN ('', 'null')), arrayMap(r -> multiIf(r IN ('', 'null'), NULL, startsWith(r, '"'), concat('s', JSONExtractString(r)), r IN ('true', 'false'), concat('b', r), substring(r, 1, 1) IN ('{', '['), concat('j', r), concat('n', r)), [JSONExtractRaw(c7[{p2:String}], {p3:String})])[1], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), concat(if(position(resource_types, concat('\0', {p1:String}, '\x01')) = 0, 's', substring(resource_types, position(resource_types, concat('\0', {p1:String}, '\x01')) + 16, 1)), resource[{p1:String}]), NULL) AS c21,
  service AS c22,
  toUInt64(round(sum(weight))) AS c23
SELECT c21 AS r1,
  c22 AS r2,
  c23 AS r3
FROM spans
ARRAY JOIN event_name AS c5,
  event_attributes AS c7,
  event_types AS c9
WHERE workspace = {p4:UInt32}
AND project = {p5:UInt32}
AND time >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
AND (c5 = {p2:String})
GROUP BY c21,
  c22
ORDER BY toFloat64OrNull(substring(c21, 2)),
  substring(c21, 2),
  c22
LIMIT 1001
-- p1 = "exception.type"
-- p2 = "exception"
-- p3 = "type"
-- p4 = 7
-- p5 = 1
-- p6 = "1795096800000000000"
-- p7 = "1795100400000000000"
