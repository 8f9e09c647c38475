-- spans | where amount between 15 .. 30 | stats lo=min(amount), hi=max(amount), n=count(amount)
WITH minOrNull(multiIf(mapContains(int_attributes, {p1:String}), toFloat64(int_attributes[{p1:String}]), mapContains(float_attributes, {p1:String}), float_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), toFloat64OrNull(resource[{p1:String}]), NULL)) AS c19,
  maxOrNull(multiIf(mapContains(int_attributes, {p1:String}), toFloat64(int_attributes[{p1:String}]), mapContains(float_attributes, {p1:String}), float_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), toFloat64OrNull(resource[{p1:String}]), NULL)) AS c20,
  toUInt64(round(sumIf(weight, (NOT (NOT ((string_attributes[{p1:String}] != '' OR (position(empty_attributes, concat('\0', {p1:String}, '\0')) > 0)) OR mapContains(int_attributes, {p1:String}) OR mapContains(float_attributes, {p1:String}) OR mapContains(bool_attributes, {p1:String}) OR (json_attributes[{p1:String}] != '') OR (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)))))))) AS c21
SELECT c19 AS r1,
  c20 AS r2,
  c21 AS r3
FROM spans
WHERE workspace = {p2:UInt32}
AND project = {p3:UInt32}
AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
AND ((multiIf(mapContains(int_attributes, {p1:String}), toFloat64(int_attributes[{p1:String}]), mapContains(float_attributes, {p1:String}), float_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), ifNull(toFloat64OrNull(resource[{p1:String}]), 0.), 0.) >= {p6:Int64}) AND ifNull((multiIf(mapContains(int_attributes, {p1:String}), toFloat64(int_attributes[{p1:String}]), mapContains(float_attributes, {p1:String}), float_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), toFloat64OrNull(resource[{p1:String}]), NULL) <= {p7:Int64}), false))
LIMIT 1001
-- p1 = "amount"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
-- p6 = "15"
-- p7 = "30"
