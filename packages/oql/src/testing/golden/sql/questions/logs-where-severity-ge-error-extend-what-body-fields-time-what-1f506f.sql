-- logs | where severity >= error | extend what = body | fields time, what | union (spans | where status == error and name == "POST /pay" | extend order = order.id | fields time, order) | sort -time | limit 2
SELECT c18 AS r1,
  c19 AS r2,
  c21 AS r3
FROM (
  SELECT CAST(time, 'Nullable(DateTime64(9, \'UTC\'))') AS c18,
    CAST(concat(if(body_is_json, 'j', 's'), body), 'Nullable(String)') AS c19,
    CAST(NULL, 'Nullable(String)') AS c21
  FROM logs
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND (severity >= 17)
  UNION ALL
  SELECT CAST(time, 'Nullable(DateTime64(9, \'UTC\'))') AS c18,
    CAST(NULL, 'Nullable(String)') AS c19,
    CAST(multiIf((string_attributes[{p5:String}] != '' OR (position(empty_attributes, concat('\0', {p5:String}, '\0')) > 0)), concat('s', string_attributes[{p5:String}]), mapContains(int_attributes, {p5:String}), concat('n', toString(int_attributes[{p5:String}])), mapContains(float_attributes, {p5:String}), concat(if(abs(float_attributes[{p5:String}]) < 9007199254740992, 'n', 'f'), toString(float_attributes[{p5:String}])), mapContains(bool_attributes, {p5:String}), multiIf(bool_attributes[{p5:String}], 'btrue', NOT bool_attributes[{p5:String}], 'bfalse', NULL), (json_attributes[{p5:String}] != ''), concat('j', json_attributes[{p5:String}]), (resource[{p5:String}] != '' OR (position(empty_resource, concat('\0', {p5:String}, '\0')) > 0)), concat(if(position(resource_types, concat('\0', {p5:String}, '\x01')) = 0, 's', substring(resource_types, position(resource_types, concat('\0', {p5:String}, '\x01')) + 10, 1)), resource[{p5:String}]), NULL), 'Nullable(String)') AS c21
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND ((status = 'error') AND (name = {p6:String}))
)
ORDER BY c18 DESC
LIMIT 2
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "order.id"
-- p6 = "POST /pay"
