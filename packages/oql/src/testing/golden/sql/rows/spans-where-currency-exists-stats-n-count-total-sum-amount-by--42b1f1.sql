-- spans | where currency exists | stats n=count(), total=sum(amount) by currency | sort -total
WITH multiIf((string_attributes[{p1:String}] != '' OR (position(empty_attributes, concat('\0', {p1:String}, '\0')) > 0)), concat('s', string_attributes[{p1:String}]), mapContains(int_attributes, {p1:String}), concat('n', toString(int_attributes[{p1:String}])), mapContains(float_attributes, {p1:String}), concat(if(abs(float_attributes[{p1:String}]) < 9007199254740992, 'n', 'f'), toString(float_attributes[{p1:String}])), mapContains(bool_attributes, {p1:String}), multiIf(bool_attributes[{p1:String}], 'btrue', NOT bool_attributes[{p1:String}], 'bfalse', NULL), (json_attributes[{p1:String}] != ''), concat('j', json_attributes[{p1:String}]), (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), concat(if(position(resource_types, concat('\0', {p1:String}, '\x01')) = 0, 's', substring(resource_types, position(resource_types, concat('\0', {p1:String}, '\x01')) + 10, 1)), resource[{p1:String}]), NULL) AS c20,
  toUInt64(round(sum(weight))) AS c21,
  arrayMap((t, k, s) -> ((toFloat64(t) + ifNull(if(isFinite(k), k, s), 0.)), accurateCast(if(isNull(s) AND abs(t) > 9007199254740991, t, 0), 'Int64')), [ifNull(sum((toInt128(multiIf(mapContains(int_attributes, {p2:String}), int_attributes[{p2:String}], mapContains(float_attributes, {p2:String}), NULL, (resource[{p2:String}] != '' OR (position(empty_resource, concat('\0', {p2:String}, '\0')) > 0)), toInt64OrNull(resource[{p2:String}]), NULL)) * accurateCastOrNull(weight, 'Int32'))), 0)], [sumKahanOrNull((if(isNull(accurateCastOrNull(weight, 'Int32')), multiIf(mapContains(int_attributes, {p2:String}), toFloat64(int_attributes[{p2:String}]), mapContains(float_attributes, {p2:String}), float_attributes[{p2:String}], (resource[{p2:String}] != '' OR (position(empty_resource, concat('\0', {p2:String}, '\0')) > 0)), toFloat64OrNull(resource[{p2:String}]), NULL), multiIf(mapContains(int_attributes, {p2:String}), NULL, mapContains(float_attributes, {p2:String}), float_attributes[{p2:String}], (resource[{p2:String}] != '' OR (position(empty_resource, concat('\0', {p2:String}, '\0')) > 0)), if(isNull(toInt64OrNull(resource[{p2:String}])), toFloat64OrNull(resource[{p2:String}]), NULL), NULL)) * weight))], [sumOrNull((if(isNull(accurateCastOrNull(weight, 'Int32')), multiIf(mapContains(int_attributes, {p2:String}), toFloat64(int_attributes[{p2:String}]), mapContains(float_attributes, {p2:String}), float_attributes[{p2:String}], (resource[{p2:String}] != '' OR (position(empty_resource, concat('\0', {p2:String}, '\0')) > 0)), toFloat64OrNull(resource[{p2:String}]), NULL), multiIf(mapContains(int_attributes, {p2:String}), NULL, mapContains(float_attributes, {p2:String}), float_attributes[{p2:String}], (resource[{p2:String}] != '' OR (position(empty_resource, concat('\0', {p2:String}, '\0')) > 0)), if(isNull(toInt64OrNull(resource[{p2:String}])), toFloat64OrNull(resource[{p2:String}]), NULL), NULL)) * weight))])[1] AS c22
SELECT c20 AS r1,
  c21 AS r2,
  if(tupleElement(c22, 2) != 0, concat('i', toString(tupleElement(c22, 2))), toString(tupleElement(c22, 1))) AS r3
FROM spans
WHERE workspace = {p3:UInt32}
AND project = {p4:UInt32}
AND time >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
AND (NOT (NOT ((string_attributes[{p1:String}] != '' OR (position(empty_attributes, concat('\0', {p1:String}, '\0')) > 0)) OR mapContains(int_attributes, {p1:String}) OR mapContains(float_attributes, {p1:String}) OR mapContains(bool_attributes, {p1:String}) OR (json_attributes[{p1:String}] != '') OR (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)))))
GROUP BY c20
ORDER BY tupleElement(c22, 1) DESC,
  tupleElement(c22, 2) DESC
LIMIT 1001
-- p1 = "currency"
-- p2 = "amount"
-- p3 = 7
-- p4 = 1
-- p5 = "1795096800000000000"
-- p6 = "1795100400000000000"
