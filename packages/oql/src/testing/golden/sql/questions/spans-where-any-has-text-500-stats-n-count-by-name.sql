-- spans | where any has "500" | stats n=count() by name
WITH name AS c22,
  toUInt64(round(sum(weight))) AS c23
SELECT c22 AS r1,
  c23 AS r2
FROM spans
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND arrayExists(v -> (position(lower(v), {p5:String}) > 0 AND hasAllTokens(lower(v), {p6:Array(String)})), arrayConcat(array(ifNull(toString(name), ''), ifNull(toString(nullIf(status_message, '')), ''), ifNull(toString(service), ''), ifNull(toString(nullIf(scope_name, '')), '')), mapValues((string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes).1), arrayMap(x -> toString(x), mapValues((string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes).2)), arrayMap(x -> toString(x), mapValues((string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes).3)), arrayMap(x -> toString(x), mapValues((string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes).4)), arrayMap(x -> toString(x), mapValues((string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes).5)), mapValues((resource, resource_types).1), event_name, arrayFlatten(arrayMap(x -> mapValues(x), event_attributes))))
GROUP BY c22
ORDER BY c22
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "500"
-- p6 = ["500"]
