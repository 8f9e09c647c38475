-- spans | match a{root} >> b{status == error} | sort -a.duration, b.name | limit 1 | fields trace_id, a.duration, b.duration, a.http.route, b.order.id
SELECT lower(hex(c59)) AS r1,
  c74 AS r2,
  c80 AS r3,
  c85 AS r4,
  c88 AS r5
FROM (
  WITH groupArray(tuple(trace_id)) AS c57,
    groupArray(byteSwap(reinterpretAsUInt64(span_id))) AS c17,
    arraySort(c17) AS c18,
    groupArray(byteSwap(reinterpretAsUInt64(parent_span_id))) AS c19,
    arraySort((x, k) -> k, c19, c17) AS c20,
    arrayMap(p -> indexOfAssumeSorted(c18, p), c20) AS c25,
    groupArray((parent_span_id = toFixedString('', 8))) AS c21,
    arraySort((x, k) -> k, c21, c17) AS c22,
    groupArray((status = 'error')) AS c23,
    arraySort((x, k) -> k, c23, c17) AS c24,
    arrayMap((n, f) -> if(f, n, 0), arrayFold((acc, k) -> (arrayMap((n, u) -> if(n > 0 OR u = 0, n, acc.1[u]), acc.1, acc.2), arrayMap(u -> if(u = 0, 0, acc.2[u]), acc.2)), range(toUInt64(ceil(log2(length(c25) + 1)))), (arrayMap(p -> if(p > 0 AND c22[p], p, 0), c25), c25)).1, c24) AS c26,
    arrayMap(p -> p > 0, c26) AS c27,
    groupArray(tuple(duration)) AS c72,
    groupArray(tuple(name)) AS c75,
    groupArray(tuple(duration)) AS c78,
    groupArray(tuple(multiIf((string_attributes[{p1:String}] != '' OR (position(empty_attributes, concat('\0', {p1:String}, '\0')) > 0)), concat('s', string_attributes[{p1:String}]), mapContains(int_attributes, {p1:String}), concat('n', toString(int_attributes[{p1:String}])), mapContains(float_attributes, {p1:String}), concat(if(abs(float_attributes[{p1:String}]) < 9007199254740992, 'n', 'f'), toString(float_attributes[{p1:String}])), mapContains(bool_attributes, {p1:String}), multiIf(bool_attributes[{p1:String}], 'btrue', NOT bool_attributes[{p1:String}], 'bfalse', NULL), (json_attributes[{p1:String}] != ''), concat('j', json_attributes[{p1:String}]), (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), concat('s', resource[{p1:String}]), NULL))) AS c83,
    groupArray(tuple(multiIf((string_attributes[{p2:String}] != '' OR (position(empty_attributes, concat('\0', {p2:String}, '\0')) > 0)), concat('s', string_attributes[{p2:String}]), mapContains(int_attributes, {p2:String}), concat('n', toString(int_attributes[{p2:String}])), mapContains(float_attributes, {p2:String}), concat(if(abs(float_attributes[{p2:String}]) < 9007199254740992, 'n', 'f'), toString(float_attributes[{p2:String}])), mapContains(bool_attributes, {p2:String}), multiIf(bool_attributes[{p2:String}], 'btrue', NOT bool_attributes[{p2:String}], 'bfalse', NULL), (json_attributes[{p2:String}] != ''), concat('j', json_attributes[{p2:String}]), (resource[{p2:String}] != '' OR (position(empty_resource, concat('\0', {p2:String}, '\0')) > 0)), concat('s', resource[{p2:String}]), NULL))) AS c86,
    trace_id AS c30
  SELECT arraySort((x, k) -> k, arrayMap(t -> t.1, c57), c17) AS c58,
    arrayFilter((i, f) -> f, arrayEnumerate(c18), c27) AS c28,
    arraySort((x, k) -> k, arrayMap(t -> t.1, c72), c17) AS c73,
    arrayMap(i -> c26[i], c28) AS c29,
    arraySort((x, k) -> k, arrayMap(t -> t.1, c75), c17) AS c76,
    arraySort((x, k) -> k, arrayMap(t -> t.1, c78), c17) AS c79,
    arraySort((x, k) -> k, arrayMap(t -> t.1, c83), c17) AS c84,
    arraySort((x, k) -> k, arrayMap(t -> t.1, c86), c17) AS c87
  FROM spans
  WHERE workspace = {p3:UInt32}
  AND project = {p4:UInt32}
  AND time >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  AND (trace_id IN (
    SELECT trace_id AS c31
    FROM spans
    WHERE workspace = {p3:UInt32}
    AND project = {p4:UInt32}
    AND time >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
    AND ((parent_span_id = toFixedString('', 8)) OR (status = 'error'))
    GROUP BY c31
    HAVING ((countIf((parent_span_id = toFixedString('', 8))) > 0) AND (countIf((status = 'error')) > 0))
  ))
  GROUP BY c30
)
ARRAY JOIN arrayMap(i -> c58[i], c28) AS c59,
  arrayMap(i -> c73[i], c29) AS c74,
  arrayMap(i -> c76[i], c28) AS c77,
  arrayMap(i -> c79[i], c28) AS c80,
  arrayMap(i -> c84[i], c29) AS c85,
  arrayMap(i -> c87[i], c28) AS c88
ORDER BY c74 DESC,
  c77
LIMIT 1
-- p1 = "http.route"
-- p2 = "order.id"
-- p3 = 7
-- p4 = 1
-- p5 = "1795096800000000000"
-- p6 = "1795100400000000000"
