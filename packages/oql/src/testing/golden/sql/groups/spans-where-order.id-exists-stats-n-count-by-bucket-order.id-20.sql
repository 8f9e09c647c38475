-- spans | where order.id exists | stats n=count() by bucket(order.id, 20)
WITH (floor(multiIf(mapContains(int_attributes, {p1:String}), toFloat64(int_attributes[{p1:String}]), mapContains(float_attributes, {p1:String}), float_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), toFloat64OrNull(resource[{p1:String}]), NULL) / {p2:Int64}) * {p2:Int64}) AS c20,
  toUInt64(round(sum(weight))) AS c21
SELECT c20 AS r1,
  c21 AS r2
FROM spans
WHERE workspace = {p3:UInt32}
AND project = {p4:UInt32}
AND time >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
AND (NOT (NOT ((string_attributes[{p1:String}] != '' OR (position(empty_attributes, concat('\0', {p1:String}, '\0')) > 0)) OR mapContains(int_attributes, {p1:String}) OR mapContains(float_attributes, {p1:String}) OR mapContains(bool_attributes, {p1:String}) OR (json_attributes[{p1:String}] != '') OR (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)))))
GROUP BY c20
ORDER BY c20
LIMIT 1001
-- p1 = "order.id"
-- p2 = "20"
-- p3 = 7
-- p4 = 1
-- p5 = "1795096800000000000"
-- p6 = "1795100400000000000"
