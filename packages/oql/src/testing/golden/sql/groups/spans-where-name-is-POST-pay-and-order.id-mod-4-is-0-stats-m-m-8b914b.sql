-- spans | where name == "POST /pay" and order.id % 4 == 0 | stats m=max(order.id) by bucket(1m) | fill linear | limit 6
WITH if(isNull(c23), last_value(c23) IGNORE NULLS OVER (ORDER BY c22 ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) + (first_value(c23) IGNORE NULLS OVER (ORDER BY c22 ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) - last_value(c23) IGNORE NULLS OVER (ORDER BY c22 ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)) / (first_value(if(isNull(c23), NULL, toUnixTimestamp(c22))) IGNORE NULLS OVER (ORDER BY c22 ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) - last_value(if(isNull(c23), NULL, toUnixTimestamp(c22))) IGNORE NULLS OVER (ORDER BY c22 ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)) * (toUnixTimestamp(c22) - last_value(if(isNull(c23), NULL, toUnixTimestamp(c22))) IGNORE NULLS OVER (ORDER BY c22 ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)), c23) AS c24
SELECT c22 AS r1,
  c24 AS r2
FROM (
  SELECT c22,
    c23
  FROM (
    WITH toStartOfInterval(time, toIntervalSecond(60)) AS c19,
      coalesce(argMaxOrNullIf(multiIf((string_attributes[{p3:String}] != '' OR (position(empty_attributes, concat('\0', {p3:String}, '\0')) > 0)), concat('s', string_attributes[{p3:String}]), mapContains(int_attributes, {p3:String}), concat('n', toString(int_attributes[{p3:String}])), mapContains(float_attributes, {p3:String}), concat(if(abs(float_attributes[{p3:String}]) < 9007199254740992, 'n', 'f'), toString(float_attributes[{p3:String}])), mapContains(bool_attributes, {p3:String}), multiIf(bool_attributes[{p3:String}], 'btrue', NOT bool_attributes[{p3:String}], 'bfalse', NULL), (json_attributes[{p3:String}] != ''), concat('j', json_attributes[{p3:String}]), (resource[{p3:String}] != '' OR (position(empty_resource, concat('\0', {p3:String}, '\0')) > 0)), concat(if(position(resource_types, concat('\0', {p3:String}, '\x01')) = 0, 's', substring(resource_types, position(resource_types, concat('\0', {p3:String}, '\x01')) + 10, 1)), resource[{p3:String}]), NULL), (assumeNotNull(multiIf(mapContains(int_attributes, {p3:String}), toFloat64(int_attributes[{p3:String}]), mapContains(float_attributes, {p3:String}), float_attributes[{p3:String}], (resource[{p3:String}] != '' OR (position(empty_resource, concat('\0', {p3:String}, '\0')) > 0)), toFloat64OrNull(resource[{p3:String}]), NULL)), ifNull(multiIf(mapContains(int_attributes, {p3:String}), int_attributes[{p3:String}], (resource[{p3:String}] != '' OR (position(empty_resource, concat('\0', {p3:String}, '\0')) > 0)), toInt64OrNull(resource[{p3:String}]), NULL), 0)), isNotNull(multiIf(mapContains(int_attributes, {p3:String}), toFloat64(int_attributes[{p3:String}]), mapContains(float_attributes, {p3:String}), float_attributes[{p3:String}], (resource[{p3:String}] != '' OR (position(empty_resource, concat('\0', {p3:String}, '\0')) > 0)), toFloat64OrNull(resource[{p3:String}]), NULL))), concat('s', maxOrNull(multiIf((string_attributes[{p3:String}] != '' OR (position(empty_attributes, concat('\0', {p3:String}, '\0')) > 0)), string_attributes[{p3:String}], (resource[{p3:String}] != '' OR (position(empty_resource, concat('\0', {p3:String}, '\0')) > 0)), resource[{p3:String}], NULL))), multiIf(maxOrNull(multiIf(mapContains(bool_attributes, {p3:String}), bool_attributes[{p3:String}], (resource[{p3:String}] != '' OR (position(empty_resource, concat('\0', {p3:String}, '\0')) > 0)), multiIf(resource[{p3:String}] = 'true', true, resource[{p3:String}] = 'false', false, NULL), NULL)), 'btrue', NOT maxOrNull(multiIf(mapContains(bool_attributes, {p3:String}), bool_attributes[{p3:String}], (resource[{p3:String}] != '' OR (position(empty_resource, concat('\0', {p3:String}, '\0')) > 0)), multiIf(resource[{p3:String}] = 'true', true, resource[{p3:String}] = 'false', false, NULL), NULL)), 'bfalse', NULL)) AS c21
    SELECT c19 AS c22,
      if(substring(c21, 1, 1) IN ('n', 'f'), toFloat64OrNull(substring(c21, 2)), NULL) AS c23
    FROM spans
    WHERE workspace = {p4:UInt32}
    AND project = {p5:UInt32}
    AND time >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
    AND ((name = {p8:String}) AND ifNull((arrayMap((x, y) -> if((abs(x) >= 9007199254740992 AND abs(x) < 9.2e18 AND abs(y) >= 2.7e-23 AND abs(y) < 4.6e18), arrayMap(k -> toFloat64(toInt64((toInt256(toInt64(x)) * bitShiftLeft(toInt256(1), k)) % if(toInt256(toInt64(y * exp2(k))) = 0, toInt256(1), toInt256(toInt64(y * exp2(k)))))) / exp2(k), [toInt16(least(greatest(52 - floor(log2(greatest(abs(toFloat64(y)), 2.7e-23))), 0), 128))])[1], toFloat64(x % y)), [multiIf(mapContains(int_attributes, {p3:String}), toFloat64(int_attributes[{p3:String}]), mapContains(float_attributes, {p3:String}), float_attributes[{p3:String}], (resource[{p3:String}] != '' OR (position(empty_resource, concat('\0', {p3:String}, '\0')) > 0)), toFloat64OrNull(resource[{p3:String}]), NULL)], [nullIf({p9:Int64}, 0)])[1] = {p10:Int64}), false))
    GROUP BY c19
  )
  ORDER BY c22 WITH FILL
  FROM toDateTime({p1:Int64}, 'UTC') TO toDateTime({p2:Int64}, 'UTC') STEP toIntervalSecond(60)
)
ORDER BY c22
LIMIT 6
-- p1 = "1795096800"
-- p2 = "1795100400"
-- p3 = "order.id"
-- p4 = 7
-- p5 = 1
-- p6 = "1795096800000000000"
-- p7 = "1795100400000000000"
-- p8 = "POST /pay"
-- p9 = "4"
-- p10 = "0"
