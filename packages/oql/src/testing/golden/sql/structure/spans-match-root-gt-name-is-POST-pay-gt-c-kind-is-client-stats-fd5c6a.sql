-- spans | match {root} > {name == "POST /pay"} > c{kind == client} | stats n=count(), t=count_distinct(trace_id)
WITH toUInt64(round(sum(c41))) AS c78,
  uniqExact(c65) AS c79
SELECT c78 AS r1,
  c79 AS r2
FROM (
  WITH groupArray(tuple(weight)) AS c39,
    groupArray(byteSwap(reinterpretAsUInt64(span_id))) AS c18,
    arraySort(c18) AS c19,
    groupArray((parent_span_id = toFixedString('', 8))) AS c22,
    arraySort((x, k) -> k, c22, c18) AS c23,
    groupArray((name = {p1:String})) AS c24,
    arraySort((x, k) -> k, c24, c18) AS c25,
    groupArray(byteSwap(reinterpretAsUInt64(parent_span_id))) AS c20,
    arraySort((x, k) -> k, c20, c18) AS c21,
    arrayMap(p -> indexOfAssumeSorted(c19, p), c21) AS c28,
    arrayMap((f, p) -> if(f AND p > 0 AND c23[p], p, 0), c25, c28) AS c29,
    arrayMap(p -> p > 0, c29) AS c30,
    groupArray((kind = 'client')) AS c26,
    arraySort((x, k) -> k, c26, c18) AS c27,
    arrayMap((f, p) -> if(f AND p > 0 AND c30[p], p, 0), c27, c28) AS c31,
    arrayMap(p -> p > 0, c31) AS c32,
    groupArray(tuple(trace_id)) AS c63,
    trace_id AS c36
  SELECT arraySort((x, k) -> k, arrayMap(t -> t.1, c39), c18) AS c40,
    arrayFilter((i, f) -> f, arrayEnumerate(c19), c32) AS c33,
    arraySort((x, k) -> k, arrayMap(t -> t.1, c63), c18) AS c64
  FROM spans
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND (trace_id IN (
    SELECT trace_id AS c37
    FROM spans
    WHERE workspace = {p2:UInt32}
    AND project = {p3:UInt32}
    AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND ((parent_span_id = toFixedString('', 8)) OR (name = {p1:String}) OR (kind = 'client'))
    GROUP BY c37
    HAVING ((countIf((parent_span_id = toFixedString('', 8))) > 0) AND (countIf((name = {p1:String})) > 0) AND (countIf((kind = 'client')) > 0))
  ))
  GROUP BY c36
)
ARRAY JOIN arrayMap(i -> c40[i], c33) AS c41,
  arrayMap(i -> c64[i], c33) AS c65
LIMIT 1001
-- p1 = "POST /pay"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
