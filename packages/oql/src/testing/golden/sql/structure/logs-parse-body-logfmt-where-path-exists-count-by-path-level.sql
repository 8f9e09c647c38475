-- logs | parse body logfmt | where path exists | count by path, level
WITH extractKeyValuePairs(body, '=', ' ', '"') AS c14,
  coalesce(concat('s', if(mapContains(c14, {p1:String}), c14[{p1:String}], NULL)), multiIf((string_attributes[{p1:String}] != '' OR (position(empty_attributes, concat('\0', {p1:String}, '\0')) > 0)), concat('s', string_attributes[{p1:String}]), mapContains(int_attributes, {p1:String}), concat('n', toString(int_attributes[{p1:String}])), mapContains(float_attributes, {p1:String}), concat(if(abs(float_attributes[{p1:String}]) < 9007199254740992, 'n', 'f'), toString(float_attributes[{p1:String}])), mapContains(bool_attributes, {p1:String}), multiIf(bool_attributes[{p1:String}], 'btrue', NOT bool_attributes[{p1:String}], 'bfalse', NULL), (json_attributes[{p1:String}] != ''), concat('j', json_attributes[{p1:String}]), (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), concat(if(position(resource_types, concat('\0', {p1:String}, '\x01')) = 0, 's', substring(resource_types, position(resource_types, concat('\0', {p1:String}, '\x01')) + 6, 1)), resource[{p1:String}]), NULL)) AS c17,
  coalesce(concat('s', if(mapContains(c14, {p2:String}), c14[{p2:String}], NULL)), multiIf((string_attributes[{p2:String}] != '' OR (position(empty_attributes, concat('\0', {p2:String}, '\0')) > 0)), concat('s', string_attributes[{p2:String}]), mapContains(int_attributes, {p2:String}), concat('n', toString(int_attributes[{p2:String}])), mapContains(float_attributes, {p2:String}), concat(if(abs(float_attributes[{p2:String}]) < 9007199254740992, 'n', 'f'), toString(float_attributes[{p2:String}])), mapContains(bool_attributes, {p2:String}), multiIf(bool_attributes[{p2:String}], 'btrue', NOT bool_attributes[{p2:String}], 'bfalse', NULL), (json_attributes[{p2:String}] != ''), concat('j', json_attributes[{p2:String}]), (resource[{p2:String}] != '' OR (position(empty_resource, concat('\0', {p2:String}, '\0')) > 0)), concat(if(position(resource_types, concat('\0', {p2:String}, '\x01')) = 0, 's', substring(resource_types, position(resource_types, concat('\0', {p2:String}, '\x01')) + 7, 1)), resource[{p2:String}]), NULL)) AS c18,
  count() AS c19
SELECT c17 AS r1,
  c18 AS r2,
  c19 AS r3
FROM logs
WHERE workspace = {p3:UInt32}
AND project = {p4:UInt32}
AND time >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
AND (NOT (NOT isNotNull(toNullable(coalesce(concat('s', if(mapContains(c14, {p1:String}), c14[{p1:String}], NULL)), multiIf((string_attributes[{p1:String}] != '' OR (position(empty_attributes, concat('\0', {p1:String}, '\0')) > 0)), concat('s', string_attributes[{p1:String}]), mapContains(int_attributes, {p1:String}), concat('n', toString(int_attributes[{p1:String}])), mapContains(float_attributes, {p1:String}), concat(if(abs(float_attributes[{p1:String}]) < 9007199254740992, 'n', 'f'), toString(float_attributes[{p1:String}])), mapContains(bool_attributes, {p1:String}), multiIf(bool_attributes[{p1:String}], 'btrue', NOT bool_attributes[{p1:String}], 'bfalse', NULL), (json_attributes[{p1:String}] != ''), concat('j', json_attributes[{p1:String}]), (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), concat(if(position(resource_types, concat('\0', {p1:String}, '\x01')) = 0, 's', substring(resource_types, position(resource_types, concat('\0', {p1:String}, '\x01')) + 6, 1)), resource[{p1:String}]), NULL))))))
GROUP BY c17,
  c18
ORDER BY toFloat64OrNull(substring(c17, 2)),
  substring(c17, 2),
  toFloat64OrNull(substring(c18, 2)),
  substring(c18, 2)
LIMIT 1001
-- p1 = "path"
-- p2 = "level"
-- p3 = 7
-- p4 = 1
-- p5 = "1795096800000000000"
-- p6 = "1795100400000000000"
