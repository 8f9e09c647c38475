-- logs | parse body json | where action == "login" and took >= 20 | count by user.name
WITH coalesce(multiIf(JSONExtractRaw(body, {p1:String}, {p2:String}) IN ('', 'null'), NULL, startsWith(JSONExtractRaw(body, {p1:String}, {p2:String}), '"'), concat('s', JSONExtractString(JSONExtractRaw(body, {p1:String}, {p2:String}))), JSONExtractRaw(body, {p1:String}, {p2:String}) IN ('true', 'false'), concat('b', JSONExtractRaw(body, {p1:String}, {p2:String})), substring(JSONExtractRaw(body, {p1:String}, {p2:String}), 1, 1) IN ('{', '['), concat('j', JSONExtractRaw(body, {p1:String}, {p2:String})), concat('n', JSONExtractRaw(body, {p1:String}, {p2:String}))), multiIf((string_attributes[{p3:String}] != '' OR (position(empty_attributes, concat('\0', {p3:String}, '\0')) > 0)), concat('s', string_attributes[{p3:String}]), mapContains(int_attributes, {p3:String}), concat('n', toString(int_attributes[{p3:String}])), mapContains(float_attributes, {p3:String}), concat(if(abs(float_attributes[{p3:String}]) < 9007199254740992, 'n', 'f'), toString(float_attributes[{p3:String}])), mapContains(bool_attributes, {p3:String}), multiIf(bool_attributes[{p3:String}], 'btrue', NOT bool_attributes[{p3:String}], 'bfalse', NULL), (json_attributes[{p3:String}] != ''), concat('j', json_attributes[{p3:String}]), (resource[{p3:String}] != '' OR (position(empty_resource, concat('\0', {p3:String}, '\0')) > 0)), concat(if(position(resource_types, concat('\0', {p3:String}, '\x01')) = 0, 's', substring(resource_types, position(resource_types, concat('\0', {p3:String}, '\x01')) + 11, 1)), resource[{p3:String}]), NULL)) AS c16,
  count() AS c17
SELECT c16 AS r1,
  c17 AS r2
FROM logs
WHERE workspace = {p4:UInt32}
AND project = {p5:UInt32}
AND time >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
AND ((ifNull(substring(coalesce(multiIf(JSONExtractRaw(body, {p8:String}) IN ('', 'null'), NULL, startsWith(JSONExtractRaw(body, {p8:String}), '"'), concat('s', JSONExtractString(JSONExtractRaw(body, {p8:String}))), JSONExtractRaw(body, {p8:String}) IN ('true', 'false'), concat('b', JSONExtractRaw(body, {p8:String})), substring(JSONExtractRaw(body, {p8:String}), 1, 1) IN ('{', '['), concat('j', JSONExtractRaw(body, {p8:String})), concat('n', JSONExtractRaw(body, {p8:String}))), multiIf((string_attributes[{p8:String}] != '' OR (position(empty_attributes, concat('\0', {p8:String}, '\0')) > 0)), concat('s', string_attributes[{p8:String}]), mapContains(int_attributes, {p8:String}), concat('n', toString(int_attributes[{p8:String}])), mapContains(float_attributes, {p8:String}), concat(if(abs(float_attributes[{p8:String}]) < 9007199254740992, 'n', 'f'), toString(float_attributes[{p8:String}])), mapContains(bool_attributes, {p8:String}), multiIf(bool_attributes[{p8:String}], 'btrue', NOT bool_attributes[{p8:String}], 'bfalse', NULL), (json_attributes[{p8:String}] != ''), concat('j', json_attributes[{p8:String}]), (resource[{p8:String}] != '' OR (position(empty_resource, concat('\0', {p8:String}, '\0')) > 0)), concat(if(position(resource_types, concat('\0', {p8:String}, '\x01')) = 0, 's', substring(resource_types, position(resource_types, concat('\0', {p8:String}, '\x01')) + 8, 1)), resource[{p8:String}]), NULL)), 2), '') = {p9:String}) AND (ifNull(toFloat64OrNull(substring(coalesce(multiIf(JSONExtractRaw(body, {p10:String}) IN ('', 'null'), NULL, startsWith(JSONExtractRaw(body, {p10:String}), '"'), concat('s', JSONExtractString(JSONExtractRaw(body, {p10:String}))), JSONExtractRaw(body, {p10:String}) IN ('true', 'false'), concat('b', JSONExtractRaw(body, {p10:String})), substring(JSONExtractRaw(body, {p10:String}), 1, 1) IN ('{', '['), concat('j', JSONExtractRaw(body, {p10:String})), concat('n', JSONExtractRaw(body, {p10:String}))), multiIf((string_attributes[{p10:String}] != '' OR (position(empty_attributes, concat('\0', {p10:String}, '\0')) > 0)), concat('s', string_attributes[{p10:String}]), mapContains(int_attributes, {p10:String}), concat('n', toString(int_attributes[{p10:String}])), mapContains(float_attributes, {p10:String}), concat(if(abs(float_attributes[{p10:String}]) < 9007199254740992, 'n', 'f'), toString(float_attributes[{p10:String}])), mapContains(bool_attributes, {p10:String}), multiIf(bool_attributes[{p10:String}], 'btrue', NOT bool_attributes[{p10:String}], 'bfalse', NULL), (json_attributes[{p10:String}] != ''), concat('j', json_attributes[{p10:String}]), (resource[{p10:String}] != '' OR (position(empty_resource, concat('\0', {p10:String}, '\0')) > 0)), concat(if(position(resource_types, concat('\0', {p10:String}, '\x01')) = 0, 's', substring(resource_types, position(resource_types, concat('\0', {p10:String}, '\x01')) + 6, 1)), resource[{p10:String}]), NULL)), 2)), 0.) >= {p11:Int64}))
GROUP BY c16
ORDER BY toFloat64OrNull(substring(c16, 2)),
  substring(c16, 2)
LIMIT 1001
-- p1 = "user"
-- p2 = "name"
-- p3 = "user.name"
-- p4 = 7
-- p5 = 1
-- p6 = "1795096800000000000"
-- p7 = "1795100400000000000"
-- p8 = "action"
-- p9 = "login"
-- p10 = "took"
-- p11 = "20"
