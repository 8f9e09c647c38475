-- spans | where name == "POST /pay" | sort order.id | limit 1 | fields attributes
SELECT (string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes) AS r1
FROM spans
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND (name = {p5:String})
ORDER BY multiIf(mapContains(int_attributes, {p6:String}), toFloat64(int_attributes[{p6:String}]), mapContains(float_attributes, {p6:String}), float_attributes[{p6:String}], (resource[{p6:String}] != '' OR (position(empty_resource, concat('\0', {p6:String}, '\0')) > 0)), toFloat64OrNull(resource[{p6:String}]), NULL),
  multiIf((string_attributes[{p6:String}] != '' OR (position(empty_attributes, concat('\0', {p6:String}, '\0')) > 0)), string_attributes[{p6:String}], mapContains(int_attributes, {p6:String}), toString(int_attributes[{p6:String}]), mapContains(float_attributes, {p6:String}), toString(float_attributes[{p6:String}]), mapContains(bool_attributes, {p6:String}), toString(bool_attributes[{p6:String}]), (json_attributes[{p6:String}] != ''), json_attributes[{p6:String}], (resource[{p6:String}] != '' OR (position(empty_resource, concat('\0', {p6:String}, '\0')) > 0)), resource[{p6:String}], NULL)
LIMIT 1
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "POST /pay"
-- p6 = "order.id"
