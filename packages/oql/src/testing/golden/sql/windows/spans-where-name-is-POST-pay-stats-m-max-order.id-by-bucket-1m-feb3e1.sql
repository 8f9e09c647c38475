-- spans | where name == "POST /pay" | stats m=max(order.id) by bucket(1m) | extend q = p95(m) over 4 buckets | sort -time | limit 1 | fields q
WITH quantileExactInclusiveOrNull(0.95)(if(substring(c21, 1, 1) IN ('n', 'f'), toFloat64OrNull(substring(c21, 2)), NULL)) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c18, 9, 'UTC')), 60000000000) RANGE BETWEEN 3 PRECEDING AND CURRENT ROW) AS c22,
  c22 AS c23
SELECT c23 AS r1
FROM (
  SELECT coalesce(argMaxOrNullIf(multiIf((string_attributes[{p1:String}] != '' OR (position(empty_attributes, concat('\0', {p1:String}, '\0')) > 0)), concat('s', string_attributes[{p1:String}]), mapContains(int_attributes, {p1:String}), concat('n', toString(int_attributes[{p1:String}])), mapContains(float_attributes, {p1:String}), concat(if(abs(float_attributes[{p1:String}]) < 9007199254740992, 'n', 'f'), toString(float_attributes[{p1:String}])), mapContains(bool_attributes, {p1:String}), multiIf(bool_attributes[{p1:String}], 'btrue', NOT bool_attributes[{p1:String}], 'bfalse', NULL), (json_attributes[{p1:String}] != ''), concat('j', json_attributes[{p1:String}]), (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), concat(if(position(resource_types, concat('\0', {p1:String}, '\x01')) = 0, 's', substring(resource_types, position(resource_types, concat('\0', {p1:String}, '\x01')) + 10, 1)), resource[{p1:String}]), NULL), (assumeNotNull(multiIf(mapContains(int_attributes, {p1:String}), toFloat64(int_attributes[{p1:String}]), mapContains(float_attributes, {p1:String}), float_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), toFloat64OrNull(resource[{p1:String}]), NULL)), ifNull(multiIf(mapContains(int_attributes, {p1:String}), int_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), toInt64OrNull(resource[{p1:String}]), NULL), 0)), isNotNull(multiIf(mapContains(int_attributes, {p1:String}), toFloat64(int_attributes[{p1:String}]), mapContains(float_attributes, {p1:String}), float_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), toFloat64OrNull(resource[{p1:String}]), NULL))), concat('s', maxOrNull(multiIf((string_attributes[{p1:String}] != '' OR (position(empty_attributes, concat('\0', {p1:String}, '\0')) > 0)), string_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), resource[{p1:String}], NULL))), multiIf(maxOrNull(multiIf(mapContains(bool_attributes, {p1:String}), bool_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), multiIf(resource[{p1:String}] = 'true', true, resource[{p1:String}] = 'false', false, NULL), NULL)), 'btrue', NOT maxOrNull(multiIf(mapContains(bool_attributes, {p1:String}), bool_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), multiIf(resource[{p1:String}] = 'true', true, resource[{p1:String}] = 'false', false, NULL), NULL)), 'bfalse', NULL)) AS c21,
    toStartOfInterval(time, toIntervalSecond(60)) AS c18
  FROM spans
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND (name = {p6:String})
  GROUP BY c18
)
ORDER BY c18 DESC
LIMIT 1
-- p1 = "order.id"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
-- p6 = "POST /pay"
