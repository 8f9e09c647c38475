-- spans | where service.name == "frontend" | sort duration | dedup http.route | fields http.route, duration
SELECT multiIf((string_attributes[{p1:String}] != '' OR (position(empty_attributes, concat('\0', {p1:String}, '\0')) > 0)), concat('s', string_attributes[{p1:String}]), mapContains(int_attributes, {p1:String}), concat('n', toString(int_attributes[{p1:String}])), mapContains(float_attributes, {p1:String}), concat(if(abs(float_attributes[{p1:String}]) < 9007199254740992, 'n', 'f'), toString(float_attributes[{p1:String}])), mapContains(bool_attributes, {p1:String}), multiIf(bool_attributes[{p1:String}], 'btrue', NOT bool_attributes[{p1:String}], 'bfalse', NULL), (json_attributes[{p1:String}] != ''), concat('j', json_attributes[{p1:String}]), (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), concat(if(position(resource_types, concat('\0', {p1:String}, '\x01')) = 0, 's', substring(resource_types, position(resource_types, concat('\0', {p1:String}, '\x01')) + 12, 1)), resource[{p1:String}]), NULL) AS r1,
  duration AS r2
FROM spans
WHERE workspace = {p2:UInt32}
AND project = {p3:UInt32}
AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
AND (service = {p6:String})
ORDER BY duration
LIMIT 1 BY multiIf((string_attributes[{p1:String}] != '' OR (position(empty_attributes, concat('\0', {p1:String}, '\0')) > 0)), concat('s', string_attributes[{p1:String}]), mapContains(int_attributes, {p1:String}), concat('n', toString(int_attributes[{p1:String}])), mapContains(float_attributes, {p1:String}), concat(if(abs(float_attributes[{p1:String}]) < 9007199254740992, 'n', 'f'), toString(float_attributes[{p1:String}])), mapContains(bool_attributes, {p1:String}), multiIf(bool_attributes[{p1:String}], 'btrue', NOT bool_attributes[{p1:String}], 'bfalse', NULL), (json_attributes[{p1:String}] != ''), concat('j', json_attributes[{p1:String}]), (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), concat(if(position(resource_types, concat('\0', {p1:String}, '\x01')) = 0, 's', substring(resource_types, position(resource_types, concat('\0', {p1:String}, '\x01')) + 12, 1)), resource[{p1:String}]), NULL)
LIMIT 1001
-- p1 = "http.route"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
-- p6 = "frontend"
