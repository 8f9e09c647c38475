-- spans | match a{root} >> b{status == error} | sort -a.duration, b.name | limit 1 | fields trace_id, a.duration, b.duration, a.http.route, b.order.id
SELECT lower(hex(c60)) AS r1,
  c75 AS r2,
  c81 AS r3,
  c86 AS r4,
  c89 AS r5
FROM (
  WITH groupArray(tuple(trace_id)) AS c58,
    groupArray(byteSwap(reinterpretAsUInt64(span_id))) AS c18,
    arraySort(c18) AS c19,
    groupArray(byteSwap(reinterpretAsUInt64(parent_span_id))) AS c20,
    arraySort((x, k) -> k, c20, c18) AS c21,
    arrayMap(p -> indexOfAssumeSorted(c19, p), c21) AS c26,
    groupArray((parent_span_id = toFixedString('', 8))) AS c22,
    arraySort((x, k) -> k, c22, c18) AS c23,
    groupArray((status = 'error')) AS c24,
    arraySort((x, k) -> k, c24, c18) AS c25,
    arrayMap((n, f) -> if(f, n, 0), arrayFold((acc, k) -> (arrayMap((n, u) -> if(n > 0 OR u = 0, n, acc.1[u]), acc.1, acc.2), arrayMap(u -> if(u = 0, 0, acc.2[u]), acc.2)), range(toUInt64(ceil(log2(length(c26) + 1)))), (arrayMap(p -> if(p > 0 AND c23[p], p, 0), c26), c26)).1, c25) AS c27,
    arrayMap(p -> p > 0, c27) AS c28,
    groupArray(tuple(duration)) AS c73,
    groupArray(tuple(name)) AS c76,
    groupArray(tuple(duration)) AS c79,
    groupArray(tuple(multiIf((string_attributes[{p1:String}] != '' OR (position(empty_attributes, concat('\0', {p1:String}, '\0')) > 0)), concat('s', string_attributes[{p1:String}]), mapContains(int_attributes, {p1:String}), concat('n', toString(int_attributes[{p1:String}])), mapContains(float_attributes, {p1:String}), concat(if(abs(float_attributes[{p1:String}]) < 9007199254740992, 'n', 'f'), toString(float_attributes[{p1:String}])), mapContains(bool_attributes, {p1:String}), multiIf(bool_attributes[{p1:String}], 'btrue', NOT bool_attributes[{p1:String}], 'bfalse', NULL), (json_attributes[{p1:String}] != ''), concat('j', json_attributes[{p1:String}]), (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), concat(if(position(resource_types, concat('\0', {p1:String}, '\x01')) = 0, 's', substring(resource_types, position(resource_types, concat('\0', {p1:String}, '\x01')) + 12, 1)), resource[{p1:String}]), NULL))) AS c84,
    groupArray(tuple(multiIf((string_attributes[{p2:String}] != '' OR (position(empty_attributes, concat('\0', {p2:String}, '\0')) > 0)), concat('s', string_attributes[{p2:String}]), mapContains(int_attributes, {p2:String}), concat('n', toString(int_attributes[{p2:String}])), mapContains(float_attributes, {p2:String}), concat(if(abs(float_attributes[{p2:String}]) < 9007199254740992, 'n', 'f'), toString(float_attributes[{p2:String}])), mapContains(bool_attributes, {p2:String}), multiIf(bool_attributes[{p2:String}], 'btrue', NOT bool_attributes[{p2:String}], 'bfalse', NULL), (json_attributes[{p2:String}] != ''), concat('j', json_attributes[{p2:String}]), (resource[{p2:String}] != '' OR (position(empty_resource, concat('\0', {p2:String}, '\0')) > 0)), concat(if(position(resource_types, concat('\0', {p2:String}, '\x01')) = 0, 's', substring(resource_types, position(resource_types, concat('\0', {p2:String}, '\x01')) + 10, 1)), resource[{p2:String}]), NULL))) AS c87,
    trace_id AS c31
  SELECT arraySort((x, k) -> k, arrayMap(t -> t.1, c58), c18) AS c59,
    arrayFilter((i, f) -> f, arrayEnumerate(c19), c28) AS c29,
    arraySort((x, k) -> k, arrayMap(t -> t.1, c73), c18) AS c74,
    arrayMap(i -> c27[i], c29) AS c30,
    arraySort((x, k) -> k, arrayMap(t -> t.1, c76), c18) AS c77,
    arraySort((x, k) -> k, arrayMap(t -> t.1, c79), c18) AS c80,
    arraySort((x, k) -> k, arrayMap(t -> t.1, c84), c18) AS c85,
    arraySort((x, k) -> k, arrayMap(t -> t.1, c87), c18) AS c88
  FROM spans
  WHERE workspace = {p3:UInt32}
  AND project = {p4:UInt32}
  AND time >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  AND (trace_id IN (
    SELECT trace_id AS c32
    FROM spans
    WHERE workspace = {p3:UInt32}
    AND project = {p4:UInt32}
    AND time >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
    AND ((parent_span_id = toFixedString('', 8)) OR (status = 'error'))
    GROUP BY c32
    HAVING ((countIf((parent_span_id = toFixedString('', 8))) > 0) AND (countIf((status = 'error')) > 0))
  ))
  GROUP BY c31
)
ARRAY JOIN arrayMap(i -> c59[i], c29) AS c60,
  arrayMap(i -> c74[i], c30) AS c75,
  arrayMap(i -> c77[i], c29) AS c78,
  arrayMap(i -> c80[i], c29) AS c81,
  arrayMap(i -> c85[i], c30) AS c86,
  arrayMap(i -> c88[i], c29) AS c89
ORDER BY c75 DESC,
  c78
LIMIT 1
-- p1 = "http.route"
-- p2 = "order.id"
-- p3 = 7
-- p4 = 1
-- p5 = "1795096800000000000"
-- p6 = "1795100400000000000"
